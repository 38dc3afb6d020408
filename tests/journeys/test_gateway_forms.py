"""The plain forms in a real browser, which decides itself what it says of where it comes from."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.gateway.served import PASSWORD, served_gateway

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


async def test_somebody_accepts_an_invitation_and_signs_in_again(
    tmp_path: Path, browser: Browser
) -> None:
    async with served_gateway(tmp_path / "home") as gateway:
        assert gateway.ready.admin_link is not None
        page = await (await browser.new_context()).new_page()
        await page.goto(gateway.ready.admin_link)
        await page.fill("input[name=password]", PASSWORD)
        await page.click("button")
        await expect(page.get_by_text("Signed in as admin")).to_be_visible()

        other = await (await browser.new_context()).new_page()
        await other.goto(gateway.url)
        await sign_in(other, "a wrong password")
        await expect(other.get_by_text("The name or the password is wrong.")).to_be_visible()
        await sign_in(other, PASSWORD)
        await expect(other.get_by_text("Signed in as admin")).to_be_visible()
        assert other.url == f"{gateway.url}/"


async def sign_in(page: Page, password: str) -> None:
    await page.fill("input[name=name]", "admin")
    await page.fill("input[name=password]", password)
    await page.click("button")
