"""The plain forms in a real browser, which decides itself what it says of where it comes from."""

from pathlib import Path

import pytest

from tests.chromium import launched
from tests.gateway.served import PASSWORD, served_gateway

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


async def test_somebody_accepts_an_invitation_and_signs_in_again(tmp_path: Path) -> None:
    async with served_gateway(tmp_path / "home") as gateway, launched() as browser:
        assert gateway.ready.admin_link is not None
        page = await browser.new_page()
        await page.goto(gateway.ready.admin_link)
        await page.fill("input[name=password]", PASSWORD)
        await page.click("button")
        await page.get_by_text("Signed in as admin").wait_for()

        other = await (await browser.new_context()).new_page()
        await other.goto(gateway.url)
        await other.fill("input[name=name]", "admin")
        await other.fill("input[name=password]", "a wrong password")
        await other.click("button")
        await other.get_by_text("The name or the password is wrong.").wait_for()
        await other.fill("input[name=name]", "admin")
        await other.fill("input[name=password]", PASSWORD)
        await other.click("button")
        await other.get_by_text("Signed in as admin").wait_for()
        assert other.url == f"{gateway.url}/"
