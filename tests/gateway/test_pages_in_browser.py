"""The forms and the pages in a real browser: one gateway, one tab, everything once."""

from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Locator, Page, expect

from tests.chromium import launched
from tests.fakes.providers import AnthropicServer, Fault, says
from tests.gateway.keeper import Keeper, keeper
from tests.gateway.served import PASSWORD, ServedGateway, served_gateway
from tests.gateway.test_whole_gateway import ask, key_of, lay_models
from tests.journeys.conftest import Complaints
from tests.journeys.film import film, film_looks

__all__ = ["keeper"]

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


async def look(page: Page, name: str) -> None:
    """Everything there is to see of a page: light, dark, at 900 and at 400 pixels."""
    await film_looks(page, f"gateway-{name}")
    await page.set_viewport_size({"width": 400, "height": 900})
    await film(page, f"gateway-{name}-400")
    assert await page.evaluate(
        "() => document.querySelector('main').scrollWidth <= document.documentElement.clientWidth"
    )
    await page.set_viewport_size({"width": 1440, "height": 900})


async def visit(page: Page, name: str) -> None:
    """Go to a page by keyboard."""
    link = page.get_by_role("navigation").get_by_role("link", name=name, exact=True)
    await link.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name=name, exact=True, level=1)).to_be_visible()
    await expect(link).to_have_attribute("aria-current", "page")


async def sign_in(page: Page, name: str, password: str) -> None:
    await page.fill("input[name=name]", name)
    await page.fill("input[name=password]", password)
    await page.click("button")


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=name))


async def create_key(page: Page) -> str:
    """A key, made with nothing but the keyboard."""
    await page.get_by_role("button", name="Create key").focus()
    await page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Create key")
    await expect(dialog.get_by_label("Name")).to_be_focused()
    await page.keyboard.type("laptop")
    await dialog.get_by_label("Anthropic Messages").focus()
    await page.keyboard.press("Space")
    await dialog.get_by_label("Monthly limit").fill("much")
    await expect(dialog.get_by_text("Write an amount in dollars")).to_be_visible()
    await dialog.get_by_label("Monthly limit").fill("5")
    await dialog.get_by_label("Ends").select_option("30")
    await film(page, "gateway-key-new")
    await dialog.get_by_label("Name").press("Enter")
    await expect(page.get_by_role("button", name="Copy", exact=True)).to_be_focused()
    secret = await page.get_by_label("The new key", exact=True).text_content()
    assert secret
    await page.get_by_role("button", name="Copy settings with the whole key").click()
    await expect(page.get_by_text("The settings are copied.")).to_be_attached()
    copied = await page.evaluate("() => navigator.clipboard.readText()")
    assert f"ANTHROPIC_AUTH_TOKEN={secret}\n" in copied
    return secret


async def invite(page: Page, gateway: ServedGateway) -> str:
    """A link for Ann, who may spend little."""
    await page.get_by_label("Invite", exact=True).last.fill("ann")
    await page.get_by_label("Monthly limit").fill("3")
    await page.get_by_label("Monthly limit").press("Enter")
    link = await page.get_by_label("The invitation link").text_content()
    assert link is not None
    assert link.startswith(gateway.url)
    await expect(row(page, "ann")).to_contain_text("of $3")
    await expect(row(page, "ann")).to_contain_text("Link not used yet, ends in 7 days")
    return link


async def change_ann(page: Page) -> None:
    """More limits, by the row's menu."""
    await page.get_by_role("button", name="Change ann").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("menuitem", name="Change", exact=True)).to_be_focused()
    await page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="ann")
    await dialog.get_by_label("Requests").fill("60")
    await dialog.get_by_label("Models").fill("small")
    await dialog.get_by_label("Served in place").fill("small = sonnet")
    await film(page, "gateway-person")
    await dialog.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("ann was changed.")).to_be_visible()


async def ask_twice(gateway: ServedGateway, upstream: AnthropicServer, secret: str) -> None:
    """One call that is answered, one that is not."""
    upstream.answer(says("At noon."))
    upstream.script(Fault(status=529, message="Overloaded just now"))
    assert [(await ask(gateway, secret)).status_code for _ in range(2)] == [200, 529]


async def see_figures(page: Page) -> None:
    """The overview and the models know what happened."""
    await visit(page, "Overview")
    await expect(page.get_by_text("1 of 2 requests")).to_be_visible()
    await expect(page.get_by_role("table", name="Spend by day and model")).to_contain_text("Sonnet")
    latency = page.get_by_role("img", name="Time to the first token")
    await expect(latency).to_be_visible()
    await expect(row(page, "Sonnet").last).to_contain_text("$")
    await look(page, "overview")

    await visit(page, "Models")
    way = row(page, "claude-sonnet-5-5").filter(has_text="Failed last time")
    await expect(way).to_have_count(1)
    await expect(way.get_by_role("img")).to_have_attribute(
        "aria-label", "2 requests in the last half hour, 1 failed"
    )
    await look(page, "models")


async def revoke_and_leave(page: Page, context: BrowserContext, cookie: str) -> None:
    """The last things that an admin does here."""
    # The access token has run out: the page renews it by itself.
    await context.clear_cookies(name=cookie)
    await visit(page, "Keys")
    await page.get_by_role("button", name="Change laptop").click()
    await page.get_by_role("menuitem", name="Revoke").click()
    await expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    await page.get_by_role("button", name="Revoke key").click()
    await expect(page.get_by_text("laptop opens nothing any more.")).to_be_visible()
    await expect(page.get_by_text("No keys yet.")).to_be_visible()
    await page.get_by_role("button", name="Sign out").click()
    await page.wait_for_url("**/sign-in")
    await sign_in(page, "admin", "a wrong password")
    await expect(page.get_by_text("The name or the password is wrong.")).to_be_visible()


async def be_a_member(page: Page, gateway: ServedGateway, link: str) -> None:
    """Ann sees her own figures, and nothing that is for admins."""
    await page.goto(link)
    await page.fill("input[name=password]", PASSWORD)
    await page.click("button")
    await expect(page.get_by_text("by you in")).to_be_visible()
    await expect(page.get_by_text("No requests in")).to_be_visible()
    await expect(page.get_by_text("Your prompts and answers are not kept.")).to_be_visible()
    names = page.get_by_role("navigation").get_by_role("link")
    assert await names.all_inner_texts() == ["Overview", "Keys", "Models", "My usage"]
    await page.goto(f"{gateway.url}/#people")
    await expect(page.get_by_role("heading", name="Overview", level=1)).to_be_visible()
    await visit(page, "Models")
    await expect(row(page, "small")).to_contain_text("Sonnet")
    await film(page, "gateway-member-models")
    await page.get_by_role("button", name="Sign out").click()
    await page.wait_for_url("**/sign-in")
    await sign_in(page, "ann", PASSWORD)
    await expect(page.get_by_text("by you in")).to_be_visible()


async def test_an_admin_and_a_member_use_every_page(tmp_path: Path) -> None:
    complaints = Complaints()
    async with AnthropicServer() as upstream:
        await lay_models(tmp_path / "home", upstream)
        async with served_gateway(tmp_path / "home") as gateway, launched() as browser:
            context = await browser.new_context(
                viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
            )
            await context.grant_permissions(["clipboard-read", "clipboard-write"])
            page = await context.new_page()
            complaints.listen(page, gateway.url)
            assert gateway.ready.admin_link is not None
            await page.goto(gateway.ready.admin_link)
            await page.fill("input[name=password]", PASSWORD)
            await page.click("button")
            await expect(page.get_by_text("No requests in")).to_be_visible()

            await visit(page, "Keys")
            secret = await create_key(page)
            await look(page, "keys")
            await ask_twice(gateway, upstream, secret)
            await see_figures(page)

            await visit(page, "People")
            link = await invite(page, gateway)
            await change_ann(page)
            await look(page, "people")
            await visit(page, "My usage")
            await expect(row(page, "laptop")).to_contain_text("of $5")
            await look(page, "usage")

            cookie = f"recto_gateway_{gateway.url.rpartition(':')[2]}"
            await revoke_and_leave(page, context, cookie)
            await be_a_member(page, gateway, link)
    assert complaints == Complaints()


async def keep_prompts_of_ann(page: Page) -> None:
    """Switch it on, by the row's menu."""
    await page.get_by_role("button", name="Change ann").click()
    await page.get_by_role("menuitem", name="Keep prompts", exact=True).click()
    dialog = page.get_by_role("dialog", name="Prompts and answers of ann")
    await dialog.get_by_text("Kept", exact=True).click()
    await dialog.get_by_label("For how long").fill("0")
    await expect(dialog.get_by_text("A whole number from 1 to 3,650.")).to_be_visible()
    await dialog.get_by_label("For how long").fill("14")
    await film(page, "gateway-keeping")
    await dialog.get_by_role("button", name="Save").click()
    await expect(
        page.get_by_text("Prompts and answers of ann are kept for 14 days.")
    ).to_be_visible()
    await expect(row(page, "ann")).to_contain_text("prompts kept")


async def read_as_admin(page: Page) -> None:
    """What Ann was told is there to be read."""
    await page.get_by_role("button", name="Change ann").click()
    await page.get_by_role("menuitem", name="Read kept prompts").click()
    await expect(page.get_by_role("heading", name="Kept prompts of ann", level=1)).to_be_visible()
    await page.get_by_role("button", name="Read sonnet").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_text("When is high water?")).to_be_visible()
    await expect(dialog.get_by_text("At noon.")).to_be_visible()
    await film(page, "gateway-kept-words")
    await page.keyboard.press("Escape")


async def read_and_erase_as_ann(page: Page, gateway: ServedGateway) -> None:
    """Ann is told on every page, reads it, and erases it."""
    await page.goto(f"{gateway.url}/sign-in")
    await sign_in(page, "ann", PASSWORD)
    told = "Your prompts and answers are kept for 14 days. Admins can read them."
    await expect(page.get_by_text(told)).to_be_visible()
    await visit(page, "My usage")
    await expect(page.get_by_text("kept for 14 days; you and admins can")).to_be_visible()
    await visit(page, "Kept prompts")
    await look(page, "kept")
    await page.get_by_role("button", name="Read sonnet").click()
    await page.get_by_role("dialog").get_by_role("button", name="Erase").click()
    await expect(page.get_by_role("button", name="Keep", exact=True)).to_be_focused()
    await page.get_by_role("button", name="Erase", exact=True).click()
    await expect(page.get_by_text("It is erased.")).to_be_visible()
    await expect(page.get_by_text("There is nothing.")).to_be_visible()


async def test_kept_prompts_are_told_read_and_erased(tmp_path: Path, keeper: Keeper) -> None:
    complaints = Complaints()
    async with AnthropicServer() as upstream:
        await lay_models(tmp_path / "home", upstream)
        async with served_gateway(tmp_path / "home") as gateway, launched() as browser:
            page = await browser.new_page(
                viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
            )
            complaints.listen(page, gateway.url)
            ann = await gateway.member(await gateway.admin(), "ann")
            await page.goto(f"{gateway.url}/sign-in")
            await sign_in(page, "admin", PASSWORD)
            await visit(page, "People")
            await keep_prompts_of_ann(page)
            upstream.answer(says("At noon."))
            assert (await ask(gateway, await key_of(gateway, ann))).status_code == 200
            await keeper.until(1)
            await read_as_admin(page)
            await page.get_by_role("button", name="Sign out").click()
            await page.wait_for_url("**/sign-in")
            await read_and_erase_as_ann(page, gateway)
    assert complaints == Complaints()
