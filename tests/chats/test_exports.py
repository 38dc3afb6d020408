import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from recto.chats.history.codec import UnreadableEntry
from recto.chats.history.entries import (
    Accounting,
    AnswerSource,
    Assistant,
    AttachedText,
    ChatEntry,
    EntryConfidence,
    Notice,
    Result,
    Summary,
    System,
    Title,
    ToolResults,
    Totals,
    User,
)
from recto.chats.transfer.exports import Exported, export, file_name
from recto.chats.transfer.exports.html import rendered
from recto.chats.transfer.exports.json import is_ours, read_document
from recto.messages import AssistantPart, Image, Text, Thinking, ToolCall, ToolResult, Usage
from tests.chats.random_entries import RANDOM_ENTRIES, numbered
from tests.examples import examples


def answer(*parts: AssistantPart, step: int = 1) -> Assistant:
    return Assistant(
        parts,
        "t1",
        step,
        "anthropic/claude",
        "Claude",
        "end_turn",
        Usage(input=1200, output=34),
        5600,
        EntryConfidence(None, "unknown"),
        AnswerSource("r", "h", "chat"),
    )


CALL = ToolCall("c1", "read_file", {"path": "a.md"})
HISTORY = numbered(
    [
        System("You help.", "h"),
        User("Old words.", "t0"),
        Accounting("edit", 2, 1, Totals()),
        User(
            "Read a.md.", "t1", (AttachedText("a.md", "# A", "h"),), (Image("image/png", b"png"),)
        ),
        answer(Thinking("It is short."), Text("I **look**."), CALL),
        ToolResults(
            (Result(ToolResult("c1", "read_file", (Text("```\n# A\n```"),)), "1 line", "done"),),
            "t1",
            1,
        ),
        answer(Text("It says *A*:\n\n```python\nprint(1)"), step=2),
        Title("A title", "m", None, 0),
        Notice("steps", "Stopped after 20 steps.", "t1"),
        Summary("We read **a.md**.", "m", None, None),
    ]
)

MARKDOWN = """\
# About A

> One entry gave way to an edit here. The JSON export holds what was there.

## You

*2023-11-14 22:13 UTC*

Read a.md.

> With a.md

*A picture (image/png, 3 bytes); the HTML and JSON exports hold it.*

## Claude

*2023-11-14 22:13 UTC*

> *Thought process*
>
> It is short.

I **look**.

**Tool: read_file**

```json
{
  "path": "a.md"
}
```

**Result of read_file: 1 line**

````
```
# A
```
````

It says *A*:

```python
print(1)
```

> Stopped after 20 steps.

---

**Summary of what came before**

We read **a.md**.

---

*2,400 tokens in, 68 out; $0.0112, and one request of unknown price.*
"""


def test_markdown_reads_like_the_chat() -> None:
    assert export("About A", HISTORY, Totals(2_400, 0, 0, 68, 11_200, 1), "markdown") == Exported(
        MARKDOWN.encode(), "text/markdown; charset=utf-8", "About A.md"
    )


def test_an_answer_with_an_open_fence_does_not_swallow_the_next() -> None:
    history = numbered([answer(Text("~~~~\ncode\n~~~")), User("```not a fence``` is", "t2")])
    text = export("", history, Totals(), "markdown").data.decode()

    assert "~~~~\ncode\n~~~\n~~~~\n\n## You" in text
    assert "```not a fence``` is\n\n---" in text


@settings(deadline=None)
@given(RANDOM_ENTRIES)
def test_reading_our_json_gives_the_same_entries(entries: tuple[ChatEntry, ...]) -> None:
    exported = export("A title", entries, Totals(), "json")
    document = json.loads(exported.data)

    assert is_ours(document)
    assert read_document(document) == ("A title", entries)


@settings(deadline=None, max_examples=examples(15))
@given(RANDOM_ENTRIES)
def test_every_history_can_be_read_by_people(entries: tuple[ChatEntry, ...]) -> None:
    assert export("\ud83d\0", entries, Totals(), "markdown").data
    page = export("\ud83d\0", entries, Totals(), "html").data.decode()
    assert "\0" not in page


def test_a_document_that_was_changed_is_refused() -> None:
    document = json.loads(export("A", HISTORY, Totals(), "json").data)
    digest = next(iter(document["blobs"]))

    changes: list[tuple[dict[str, object], str]] = [
        ({"version": 2}, "A later Recto"),
        ({"entries": None}, "not whole"),
        ({"entries": [1]}, "An entry is not whole"),
        ({"entries": document["entries"][::-1]}, "not in order"),
        ({"blobs": {digest: "AAAA"}}, "not what was exported"),
        ({"blobs": {digest: "%%"}}, "not base64"),
        ({"blobs": {}}, "is missing"),
    ]
    for change, reason in changes:
        with pytest.raises(UnreadableEntry, match=reason):
            read_document({**document, **change})


class Page(HTMLParser):
    """What a page is made of: its tags, its addresses and its words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_page_shows_the_chat_and_needs_nothing_else() -> None:
    exported = export("A & <B>", HISTORY, Totals(), "html")
    page = Page(exported.data.decode())

    assert (exported.media_type, exported.name) == ("text/html; charset=utf-8", "A B.html")
    assert page.addresses == ["data:image/png;base64,cG5n"]
    assert not page.tags & {"script", "link", "iframe", "object", "embed", "form", "base"}
    assert "A & <B>" in page.words
    assert "Read a.md." in page.words
    assert "Old words." not in page.words
    assert "<strong>look</strong>" in exported.data.decode()


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](  JaVaScRiPt:alert(1) )",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](file:///etc/passwd)",
    "![a](https://tracker.test/pixel.png)",
    "![a](data:image/svg+xml;base64,PHN2Zz4=)",
    '<https://x.test/"onclick=alert(1)>',
    '[a](https://x.test/ "on\\"mouse")',
    "[a]: javascript:alert(1)\n\n[a]",
    '```"><script>\n</code></pre><script>alert(1)</script>\n```',
    "| a |\n|:-:|\n| <b onload=x> |",
    "&lt;script&gt; &#60;script&#62;",
    "</main></body><script>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_is_said_becomes_part_of_the_page(text: str) -> None:
    history = numbered(
        [User(text, "t1", (AttachedText(text, "", ""),)), answer(Text(text), Thinking(text))]
    )
    page = Page(export(text, history, Totals(), "html").data.decode())

    assert page.tags <= {
        *("html", "head", "meta", "title", "style", "body", "main", "footer", "h1", "h2", "time"),
        *("div", "p", "a", "details", "summary", "pre", "code", "table", "thead", "tbody"),
        *("tr", "th", "td", "em", "strong", "blockquote"),
    }
    assert all(re.match("https://", address) for address in page.addresses)
    assert page.handlers == []


def test_a_table_keeps_its_sides_without_styles_in_place() -> None:
    assert '<th class="right">n</th>' in rendered("| n |\n|--:|\n| 1 |")


@pytest.mark.parametrize("text", ["[" * 20_000, "> " * 5_000, "*a " * 5_000, "`" * 30_000])
def test_odd_markdown_does_not_take_long(text: str) -> None:
    assert rendered(text)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Plan for 2027", "Plan for 2027"),
        ("../../etc/passwd", "etc passwd"),
        ("a\\b:c*d?e", "a b c d e"),
        ("Grüße 東京", "Grüße 東京"),
        ("", "chat"),
        ("...", "chat"),
        ("NUL", "chat NUL"),
        ("\ud83d\n\0", "chat"),
        ("x" * 300, "x" * 80),
    ],
)
def test_a_file_name_is_good_on_every_system(title: str, name: str) -> None:
    assert file_name(title) == name
