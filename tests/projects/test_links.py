"""Links of Markdown texts: what they are, where they lead, and how they follow a move."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.projects.links import markdown_links
from recto.projects.links.folder_names import FolderNames
from recto.projects.links.markdown_links import find_links, lines_before, read_facts, tags_in
from recto.projects.links.moves import Move, link_changes, mentions
from recto.projects.links.notebook_texts import passages_of
from recto.projects.links.spelling import meant

NAMES = FolderNames(
    [
        "README.md",
        "notes/Tide gauge.md",
        "notes/surge.md",
        "notes/deep/surge.md",
        "notes/deep/Überflutung.md",
        "pictures/a (1).png",
        "pictures/curve.png",
        "data/harmonics.py",
    ]
)


def moved(text: str, path: str, old: str, new: str) -> str:
    move = Move(old, new, NAMES, NAMES.moved(old, new))
    for change in reversed(link_changes(text, path, move)):
        assert change.after is not None
        text = text[: change.link.start] + change.after + text[change.link.end :]
    return text


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("[[surge]] ![[a (1).png|300]] [[surge#Storms|that]]", ["surge", "a (1).png", "surge"]),
        ("| [[surge\\|that]] |", ["surge"]),
        (
            "[x](notes/surge.md#top) ![y](<pictures/a (1).png>)",
            ["notes/surge.md", "pictures/a (1).png"],
        ),
        ("[x](pictures/a%20\\(1\\).png 'title')", ["pictures/a (1).png"]),
        ("[![i](pictures/curve.png)](notes/surge.md)", ["pictures/curve.png", "notes/surge.md"]),
        ("> [one]: notes/surge.md\n", ["notes/surge.md"]),
        ('<img width="3" src="pictures/curve.png">', ["pictures/curve.png"]),
        ("`[[surge]]` and ``[x](a.md)``", []),
        ("```\n[[surge]]\n```\n\n- a\n\n  ~~~\n  [x](notes/surge.md)\n  ~~~\n", []),
        ("text\n\n    [[surge]]\n", []),
        ("<!-- [[surge]] -->\n---\n", []),
        ("---\nup: '[[surge]]'\n---\n[[a]]\n", ["surge", "a"]),
        ("<pre>\n[x](notes/surge.md)\n</pre>\n", []),
        ("\\[[surge]] x](notes/surge.md) \\[x](notes/surge.md)", []),
        ("[w](https://a.example/x) [m](mailto:a@b) [r](/etc/passwd) [h](#top)", []),
    ],
)
def test_links_are_found_but_not_in_code(text: str, targets: list[str]) -> None:
    assert [link.target for link in find_links(text)] == targets


@given(st.text(alphabet="[]()!#|\\`<>~- \n\rax.\"'é&%/", max_size=80))
def test_whatever_stands_in_a_text_a_link_is_the_text_at_its_place(text: str) -> None:
    links = find_links(text)
    assert all(text[link.start : link.end] == link.raw for link in links)
    assert all(one.end <= other.start for one, other in zip(links, links[1:], strict=False))


@pytest.mark.parametrize(
    "text",
    [" ".join("`" * length for length in range(1, 800)), "```\nx\n```\n" * 50_000],
    ids=["spans without an end", "many small blocks"],
)
def test_a_text_made_to_be_slow_to_read_is_read_at_once(text: str) -> None:
    begun = time.process_time()
    assert [link.target for link in find_links(f"[[surge]]\n\n{text}\n")] == ["surge"]
    assert time.process_time() - begun < 4


def test_the_lines_above_a_cell_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook with thousands of links would be counted through for each of them."""
    counted: list[int] = []

    def count(text: str, at: int) -> int:
        counted.append(at)
        return lines_before(text, at)

    monkeypatch.setattr(markdown_links, "lines_before", count)
    text = "code\n" * 10 + "[[surge]] #tag " * 100
    facts = read_facts(text, [(0, 25), (50, len(text))])
    assert [(link.line, link.target) for link in facts.links] == [(11, "surge")] * 100
    assert [(tag.line, tag.name) for tag in facts.tags] == [(11, "tag")] * 100
    assert len(counted) <= 4


def test_a_wiki_link_means_the_nearest_note_of_its_name() -> None:
    assert NAMES.named("surge", "README.md") == "notes/surge.md"
    assert NAMES.named("surge", "notes/deep/Überflutung.md") == "notes/deep/surge.md"
    assert NAMES.named("deep/surge", "README.md") == "notes/deep/surge.md"
    assert NAMES.named("tide GAUGE", "README.md") == "notes/Tide gauge.md"
    assert NAMES.named("harmonics", "README.md") == "data/harmonics.py"
    assert NAMES.named("u\u0308berflutung", "README.md") == "notes/deep/Überflutung.md"
    assert NAMES.named("../surge", "notes/deep/surge.md") == "notes/surge.md"
    assert NAMES.named("../../../surge", "README.md") is None
    assert NAMES.named("nothing", "README.md") is None


@pytest.mark.parametrize(
    ("text", "path", "old", "new", "after"),
    [
        # Renamed: every way to write it follows, and what stands around it stays.
        (
            "[[Tide gauge#Top|it]]\r\n",
            "README.md",
            "notes/Tide gauge.md",
            "notes/Gauge.md",
            "[[Gauge#Top|it]]\r\n",
        ),
        (
            "[a](notes/Tide%20gauge.md#x)",
            "README.md",
            "notes/Tide gauge.md",
            "notes/The gauge.md",
            "[a](notes/The%20gauge.md#x)",
        ),
        (
            "[a](<notes/Tide gauge.md>)",
            "README.md",
            "notes/Tide gauge.md",
            "notes/The gauge.md",
            "[a](<notes/The gauge.md>)",
        ),
        (
            "[a](notes/surge.md)",
            "README.md",
            "notes/surge.md",
            "notes/s (1)#2.md",
            "[a](notes/s%20%281%29%232.md)",
        ),
        (
            "![[curve.png]] ![](pictures/curve.png)",
            "README.md",
            "pictures/curve.png",
            "img/line.png",
            "![[line.png]] ![](img/line.png)",
        ),
        # Moved: a bare name still finds it, an address must say where.
        (
            "[[Tide gauge]] [a](./notes/Tide%20gauge.md)",
            "README.md",
            "notes/Tide gauge.md",
            "Tide gauge.md",
            "[[Tide gauge]] [a](./Tide%20gauge.md)",
        ),
        # A name that another note has, too: the link says which one it is.
        ("[[surge]]", "README.md", "notes/surge.md", "notes/deep/x/surge.md", "[[x/surge]]"),
        (
            "[[Tide gauge]]",
            "notes/deep/Überflutung.md",
            "notes/Tide gauge.md",
            "notes/surge2.md",
            "[[surge2]]",
        ),
        # The moved text's own links, and a folder's.
        (
            "[a](surge.md) [[surge]] ![](../pictures/curve.png)",
            "notes/Tide gauge.md",
            "notes/Tide gauge.md",
            "Tide gauge.md",
            "[a](notes/surge.md) [[surge]] ![](pictures/curve.png)",
        ),
        (
            "[a](surge.md) [b](../README.md)",
            "notes/Tide gauge.md",
            "notes",
            "texts/all",
            "[a](surge.md) [b](../../README.md)",
        ),
        (
            "[a](notes/) [b](notes/deep/surge.md) [[deep/surge]]",
            "README.md",
            "notes",
            "texts",
            "[a](texts/) [b](texts/deep/surge.md) [[deep/surge]]",
        ),
        # What led nowhere, or leads elsewhere, stays.
        (
            "[[nothing]] [a](surge.md) `[[surge]]`",
            "README.md",
            "notes/surge.md",
            "notes/tide.md",
            "[[nothing]] [a](surge.md) `[[surge]]`",
        ),
    ],
)
def test_links_follow_a_move(text: str, path: str, old: str, new: str, after: str) -> None:
    assert moved(text, path, old, new) == after


def test_a_name_that_a_wiki_link_can_not_say_leaves_the_link() -> None:
    move = Move(
        "notes/surge.md", "notes/a|b.md", NAMES, NAMES.moved("notes/surge.md", "notes/a|b.md")
    )
    (change,) = link_changes("[[notes/surge]]", "README.md", move)
    assert change.after is None


LETTERS = st.text(alphabet="ab ()#%é&'[|.~", min_size=1, max_size=6).filter(
    lambda name: name.strip() == name and not name.startswith(".") and not name.endswith(".")
)


@given(st.sets(LETTERS, min_size=3, max_size=6), LETTERS, st.booleans())
def test_whatever_files_are_called_a_link_leads_to_its_file_after_a_move(
    stems: set[str], fresh: str, deeper: bool
) -> None:
    first, *others = sorted(stems)
    paths = [f"{first}.md", *(f"in/{stem}.md" for stem in others)]
    names = FolderNames(paths)
    old, new = paths[1], f"in/sub/{fresh}.md" if deeper else f"{fresh}.md"
    if new in paths:
        return
    move = Move(old, new, names, names.moved(old, new))
    quoted = old.replace("%", "%25").replace("#", "%23").replace("&", "%26")
    for text in (f"[x](<{quoted}>)", f"[[{old.removesuffix('.md')}]]"):
        before = [meant(link, first + ".md", names) for link in find_links(text)]
        changes = link_changes(text, first + ".md", move)
        for change in changes:
            if change.after is not None:
                text = text[: change.link.start] + change.after + text[change.link.end :]
        if all(change.after is not None for change in changes):
            after = [meant(link, first + ".md", move.after) for link in find_links(text)]
            assert after == [path and move.place(path) for path in before]


def test_candidates_are_looked_for_by_what_every_spelling_keeps() -> None:
    def looked_for(old: str, new: str) -> str:
        return mentions(Move(old, new, NAMES, NAMES.moved(old, new)))

    assert looked_for("notes/Tide gauge.md", "x.md") == "gauge"
    assert looked_for("notes/deep", "deeper") == "deep|surge"
    assert looked_for("notes/Tide gauge.md", "notes/x/surge.md") == "gauge|surge"
    assert "%C3%9C" in looked_for("notes/deep/Ü.md", "x.md")


def test_tags_are_words_behind_a_sign_not_headings_numbers_or_code() -> None:
    head = "---\ntags: [field, '#work/now']\n---\n# Head\n\n"
    text = head + "#tide (#Ebbe/früh) a#b #12 `#no` [x](y#z) #a-1\n"
    names = ("field", "work/now", "tide", "Ebbe/früh", "a-1")
    assert [(tag.name, tag.line) for tag in tags_in(text)] == list(
        zip(names, (2, 2, 6, 6, 6), strict=True)
    )


def test_a_link_in_the_front_matter_follows_but_never_breaks_its_quotes() -> None:
    text = "---\nup: '[[surge]]'\n---\n[[surge]]\n"
    followed = moved(text, "README.md", "notes/surge.md", "notes/high water.md")
    assert followed == text.replace("surge", "high water")
    move = Move(
        "notes/surge.md", "notes/it's.md", NAMES, NAMES.moved("notes/surge.md", "notes/it's.md")
    )
    changes = link_changes(text, "README.md", move)
    assert [change.after for change in changes] == [None, "it's"]


def test_of_a_notebook_only_markdown_cells_have_links() -> None:
    cells = [("markdown", "See [[surge]] #tide\n```\nopen"), ("code", "x = '[[surge]]'")]
    text = "".join(f"\x1f{kind} c{at}\n{source}\n" for at, (kind, source) in enumerate(cells))
    text += "\x1fmarkdown last\n[it](notes/surge.md)\n"
    after = moved(text, "a.ipynb", "notes/surge.md", "notes/ebb.md")
    assert after == text.replace("See [[surge]]", "See [[ebb]]").replace("surge.md", "ebb.md")
    facts = read_facts(text, passages_of("a.ipynb", text))
    assert [(tag.name, facts.lines[tag.line]) for tag in facts.tags] == [
        ("tide", "See [[surge]] #tide")
    ]
