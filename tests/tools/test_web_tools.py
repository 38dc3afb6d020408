"""What a model can find elsewhere: papers, the web, pages."""

import json
from typing import Any

import pytest

from recto.messages import ToolCall
from recto.research import SearchFailed
from recto.tools import Permissions, Toolbox, ToolRule, ToolRules, builtin_tools
from tests.fakes.papers import pdf_that_says
from tests.fakes.record_services import record_services
from tests.fakes.search_services import EXA_PAGE
from tests.tools.bench import Bench, FakeShell
from tests.tools.research import nowhere
from tests.tools.test_reference_tools import online

pytestmark = pytest.mark.anyio


async def test_papers_come_in_a_few_lines_each(bench: Bench) -> None:
    async with online(bench):
        said = await bench.say("search_papers", query="open access")
        assert said.splitlines() == [
            "1. The state of OA",
            "   authors: Heather Piwowar, Stefanie Haustein",
            "   year: 2018",
            "   journal: PeerJ",
            "   volume: 6",
            "   pages: e4375",
            "   type: article",
            "   doi: 10.7717/peerj.4375",
            "   citations: 1210",
            "   open access: gold",
            "   open access at: https://peerj.com/4375.pdf",
            "   id: https://openalex.org/W2741809807",
            "   abstract: Despite growing interest in interest",
        ]


async def test_five_papers_are_asked_for_and_ten_are_the_most(bench: Bench) -> None:
    async with online(bench) as world:
        await bench.say("search_papers", query="tides")
        await bench.say("search_papers", query="tides", count=10)
        assert [asked.partition("per-page=")[2].split("&")[0] for asked in world.asked] == [
            "5",
            "10",
        ]
        assert "count" in await bench.fail("search_papers", query="tides", count=11)
        assert len(world.asked) == 2


async def test_a_fallback_begins_with_its_note_and_all_failures_are_one_error(bench: Bench) -> None:
    async with online(bench) as world:
        world.failing["openalex"] = 503
        said = await bench.say("search_papers", query="tides")
        assert said.startswith(
            "OpenAlex failed with status 503. Try again later. Exa was not asked: there is no key"
            " for it. These results are from CrossRef."
        )
        world.failing["crossref"] = 429
        told = json.loads(await bench.fail("search_papers", query="tides"))
        assert [failure["service"] for failure in told["failures"]] == [
            "OpenAlex",
            "Exa",
            "CrossRef",
        ]
        assert "don't name papers from memory" in told["remedy"]


async def test_the_web_is_searched_or_the_model_is_told_how_to_enable_it(bench: Bench) -> None:
    async def search(query: str, count: int) -> list[dict[str, Any]] | None:
        if query == "fails":
            raise SearchFailed("Exa takes no more searches just now.", 429)
        return [{**EXA_PAGE, "published": "2026-03-01", "text": "Twice a day."}][:count]

    async with online(bench, search_web=search):
        assert await bench.say("web_search", query="tides") == (
            "1. Tides\n   https://tides.example/\n   2026-03-01\n   Twice a day."
        )
        assert "no more searches" in await bench.fail("web_search", query="fails")
    bench.research = nowhere()
    assert "recto keys set EXA_API_KEY" in await bench.fail("web_search", query="tides")


async def test_a_page_is_read_as_markdown_and_long_ones_by_handle(bench: Bench) -> None:
    words = "The sea rises twice a day, and people have written the heights down. " * 300
    page = (
        "<html><head><title>Tides of Brest</title><meta name='date' content='2020-05-06'></head>"
        f"<body><nav>Menu</nav><article><h1>Tides of Brest</h1><p>{words}</p></article>"
        "<script>steal()</script></body></html>"
    )
    async with online(bench) as world:
        world.failing["page"] = page
        # What it is called does not make it HTML.
        plain = await bench.say("fetch_url", urls=[f"{world.url}/page"])
        assert "<nav>Menu" in plain
        del world.failing["page"]
        world.page_text = page
        read = await bench.say("fetch_url", urls=[f"{world.url}/page"])
        assert "# Tides of Brest" in read
        assert "Date: 2020-05-06" in read
        assert "steal" not in read
        _, _, more = read.partition("more characters: ")
        # Ten thousand characters, then where the rest is.
        shown = read.partition("\n")[2].rpartition("\n[")[0]
        assert (len(shown), more.startswith("output:")) == (10_000, True)
        rest = await bench.say("read_file", path=more.rstrip("]"))
        assert "heights down" in rest
        gone = await bench.fail("fetch_url", urls=[f"{world.url}/nothing", "ftp://x/"])
        assert "status 404" in gone
        assert "Only addresses with http://" in gone


async def test_a_pdf_is_read_and_more_than_ten_addresses_are_not(bench: Bench) -> None:
    async with online(bench) as world:
        world.pdf = pdf_that_says("The sea rises twice a day.")
        read = await bench.say("fetch_url", urls=[f"{world.url}/paper.pdf"])
        assert read.splitlines() == [
            f"{world.url}/paper.pdf",
            "# Page 1",
            "The sea rises twice a day.",
        ]
        world.asked.clear()
        many = [f"{world.url}/page?{number}" for number in range(11)]
        assert "urls" in await bench.fail("fetch_url", urls=many)
        assert world.asked == []
        assert (await bench.say("fetch_url", urls=many[:10])).count("Words.") == 10


async def test_one_switch_takes_all_of_them_away(bench: Bench) -> None:
    off = Permissions(ToolRules(disabled=(ToolRule("reaches_out"),)), sandboxed=True)
    box = Toolbox(builtin_tools(FakeShell(), nowhere()), off)
    names = {tool.name for tool in box.offered()}
    # Without a key, too, there is a tool that says how to enable it.
    on = Toolbox(builtin_tools(FakeShell(), nowhere()), Permissions(sandboxed=True))
    reaching = {"add_reference", "web_search", "search_papers", "fetch_url"}
    assert reaching <= {tool.name for tool in on.offered()}
    assert {"search_references", "cite_reference", "edit_reference"} <= names
    assert not names & reaching
    async with record_services() as world:
        call = ToolCall("c", "fetch_url", {"urls": [f"{world.url}/page"]})
        outcome = await box.call(call, bench.context)
        assert outcome.is_error
        assert world.asked == []


async def test_a_rule_that_allows_must_be_about_every_address(bench: Bench) -> None:
    rules = ToolRules(ask=(ToolRule("fetch_url"),), allow=(ToolRule("fetch_url", "https://a/*"),))
    box = Toolbox(builtin_tools(FakeShell(), nowhere()), Permissions(rules))

    async def verdict(*urls: str) -> str:
        call = ToolCall("c", "fetch_url", {"urls": list(urls)})
        return (await box.judge(call, bench.workspace)).kind

    assert await verdict("https://a/1", "https://a/2") == "allow"
    assert await verdict("https://a/1", "https://evil/") == "ask"
