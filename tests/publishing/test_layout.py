"""What a draft says of its look: style, language, template; and a head that is broken."""

import io
import re
import zipfile
from pathlib import Path
from typing import Any, cast

import docx
import pypdf
import pytest
from docx.styles.style import ParagraphStyle
from lxml import html
from pypdf.generic import ArrayObject, DictionaryObject, PdfObject

from recto.publishing import (
    CitationPreviews,
    PublishFailed,
    PublishFormat,
    PublishOptions,
    read_draft,
)
from recto.publishing.composition import compose
from recto.publishing.pictures import is_outward, path_of
from recto.publishing.style_sheets import leads_elsewhere
from recto.publishing.styles import packaged_style
from recto.references import Libraries
from recto.workspace import Workspace
from tests.publishing.drafts import PIXEL, library_of
from tests.publishing.test_publishing import make, words_of_pdf

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a library."""
    (tmp_path / "references").mkdir()
    (tmp_path / "references" / "library.bib").write_text(library_of(3))
    return tmp_path


async def shown(folder: Path, head: str, *citations: str) -> tuple[list[str], list[str]]:
    """Citations and bibliography as a page shows them."""
    async with await Workspace.open(str(folder)) as workspace:
        library = await Libraries().open(workspace)
        found = await CitationPreviews().render(workspace, library, "a.md", head, citations)
    return (
        ["".join(run.text for run in runs) for runs in found.citations],
        ["".join(run.text for run in runs) for runs in found.bibliography],
    )


async def test_numeric_styles_count_in_the_order_of_the_text_and_any_csl_file_will_do(
    folder: Path,
) -> None:
    style = packaged_style("ieee")
    assert style is not None
    (folder / "own.csl").write_bytes(style.replace(b'prefix="["', b'prefix="("'))
    cited = ("[@work2]", "[@work0]", "[@work2, p. 9]")
    numbers, listed = await shown(folder, "---\ncsl: ieee\n---\n", *cited)
    assert numbers == ["[1]", "[2]", "[1, p. 9]"]
    assert [words in line for words, line in zip(("Volume 2", "Volume 0"), listed, strict=True)]
    numbers, _ = await shown(folder, "---\ncsl: own.csl\n---\n", *cited)
    assert numbers[1].startswith("(2")


async def test_what_a_front_matter_lists_is_shown_behind_what_is_cited(folder: Path) -> None:
    head = "---\ncsl: ieee\nnocite: '[@work0; @work2]'\n---\n"
    numbers, listed = await shown(folder, head, "[@work2]", "[@work1]")
    assert numbers == ["[1]", "[2]"]
    titles = ("Volume 2", "Volume 1", "Volume 0")
    assert [words in line for words, line in zip(titles, listed, strict=True)] == [True] * 3
    _, everything = await shown(folder, "---\nnocite: '@*'\n---\n")
    assert len(everything) == 3


async def test_a_style_file_that_points_to_another_is_that_one_and_what_is_none_is_told(
    folder: Path,
) -> None:
    link = '<link rel="independent-parent" href="http://www.zotero.org/styles/{}"/>'
    style = f'<style xmlns="http://purl.org/net/xbiblio/csl"><info><title>J</title>{link}</info></style>'
    head = "---\ncsl: own.csl\n---\n"
    (folder / "own.csl").write_text(style.format("ieee"))
    assert (await shown(folder, head, "[@work2]"))[0] == ["[1]"]
    for broken, why in (
        (style.format("nobodys"), "own.csl only points to the style “nobodys”"),
        ("nonsense", "own.csl is no citation style: "),
        ("<html/>", r"own.csl is no citation style \(CSL\)"),
    ):
        (folder / "own.csl").write_text(broken)
        with pytest.raises(PublishFailed, match=why):
            await shown(folder, head, "[@work2]")


@pytest.mark.parametrize(("style", "indent"), [("apa", 4), ("ieee", 0)])
async def test_a_list_that_hangs_in_its_style_hangs_in_a_pdf(
    folder: Path, style: str, indent: int
) -> None:
    long = "A long title " + "of many words " * 20
    (folder / "references" / "library.bib").write_text(
        f"@book{{work, author={{Writer, Anna}}, title={{{long}}}, year={{1950}}}}\n"
    )
    (folder / "a.md").write_text(f"---\ntitle: T\ncsl: {style}\n---\n\nSo [@work].\n")
    data, _ = await make(folder, "a.md", PublishOptions())
    page = pypdf.PdfReader(io.BytesIO(data)).pages[0].extract_text(extraction_mode="layout")
    first, second = re.findall(r"^( *)\S.*of many words.*$", page, re.MULTILINE)[:2]
    assert min(len(second) - len(first), 4) == indent


async def test_a_pdf_has_its_language_and_the_words_of_its_pictures(folder: Path) -> None:
    (folder / "gauge.png").write_bytes(PIXEL)
    (folder / "a.md").write_text(
        "---\ntitle: Marées\nlang: fr\n---\n\n![Un marégraphe](gauge.png)\n\nVoir"
        ' ![](gauge.png){alt="Une petite image"}.\n'
    )
    data, _ = await make(folder, "a.md", PublishOptions())
    root = pypdf.PdfReader(io.BytesIO(data)).root_object
    assert (root["/Lang"], root["/Type"]) == ("fr", "/Catalog")
    assert sorted(alternatives(root["/StructTreeRoot"])) == ["Un marégraphe", "Une petite image"]


def alternatives(element: Any) -> list[str]:
    """The alternative texts in a tree of tags."""
    told: Any = element.get_object() if isinstance(element, PdfObject) else element
    if isinstance(told, ArrayObject):
        return [text for one in cast("list[Any]", told) for text in alternatives(one)]
    if not isinstance(told, DictionaryObject):
        return []
    own = [str(told["/Alt"])] if "/Alt" in told else []
    return [*own, *(alternatives(told["/K"]) if "/K" in told else [])]


async def test_a_word_document_has_the_styles_of_its_template(folder: Path) -> None:
    template = docx.Document()
    heading_style = template.styles["Heading 1"]
    assert isinstance(heading_style, ParagraphStyle)
    heading_style.font.name = "Courier New"
    template.save(str(folder / "house.docx"))
    (folder / "a.md").write_text("---\ntitle: T\n---\n\n# One\n\nWords [@work1].\n")
    data, _ = await make(folder, "a.md", PublishOptions("docx", template="house.docx"))
    made = docx.Document(io.BytesIO(data))
    heading = next(one for one in made.paragraphs if one.text == "One")
    assert heading.style is not None
    assert heading.style.font.name == "Courier New"


NUMBERED = """# The paper

## Sea {#sec:sea}

- One

  ![A gauge](gauge.png){#fig:gauge}

1. $$x$$ {#eq:x}

```{#lst:sum .python caption="The sum"}
a + b
```

## Land {#sec:land .unnumbered}

See @fig:gauge, @eq:x, @lst:sum, @sec:sea, @sec:land and @fig:none.
"""


@pytest.mark.parametrize(
    ("numbers", "headings", "sections"),
    [
        (True, ("1 Sea", "Land"), "Section 1, Section “Land”"),
        (False, ("Sea", "Land"), "Section “Sea”, Section “Land”"),
    ],
)
async def test_what_stands_in_lists_is_numbered_and_sections_count_from_one_below_a_title(
    folder: Path, numbers: bool, headings: tuple[str, str], sections: str
) -> None:
    (folder / "gauge.png").write_bytes(PIXEL)
    (folder / "a.md").write_text(NUMBERED)
    data, stages = await make(folder, "a.md", PublishOptions("html", number_sections=numbers))
    page = html.fromstring(data.decode())
    found = [" ".join(one.text_content().split()) for one in page.iter("h2", "figcaption")]
    assert found == [headings[0], "Figure 1. A gauge", "Listing 1. The sum", headings[1]]
    see = " ".join([*page.iter("p")][-1].text_content().split())
    assert see == f"See Figure 1, Equation 1, Listing 1, {sections} and Figure ?."
    warnings = [stage.words for stage in stages if stage.is_warning]
    assert warnings == ["Nothing has the label fig:none"]


LABELLED = """# Über uns

## Words {#w}

`code`{#code} [site](https://x.example){#site} ![](gauge.png){#gauge} [span]{#span}

```{#block}
a
```

![One](gauge.png){#fig:twice}

![Two](gauge.png){#fig:twice}

$$x$$ {#eq:twice} and $$y$$ {#eq:twice}

[a](#w) [a](#code) [a](#site) [a](#gauge) [a](#span) [a](#block) [a](#%75)
[a](#) @fig:twice @eq:twice
"""


async def test_a_link_to_nowhere_and_a_label_of_two_places_are_told_and_stop_no_pdf(
    folder: Path,
) -> None:
    (folder / "gauge.png").write_bytes(PIXEL)
    (folder / "one.md").write_text(LABELLED)
    (folder / "two.md").write_text("# Start\n\n## Words {#w}\n\n[a](#w) [a](#start)\n")
    (folder / "_book.md").write_text("---\ntitle: T\n---\n\n- one.md\n- two.md\n")
    data, stages = await make(folder, "_book.md", PublishOptions("html"))
    page = html.fromstring(data.decode())
    labels = [one.get("id") for one in page.iter() if one.get("id")]
    assert len(labels) == len(set(labels))
    links = [str(one.get("href")).removeprefix("#") for one in page.iter("a")][1:]
    one = ["w", "code", "site", "gauge", "span", "block", "fig:twice", "eq:twice"]
    assert links == [*one, "w-2", "start"]
    assert set(links) <= set(labels)
    data, printed = await make(folder, "_book.md", PublishOptions("pdf"))
    assert "Figure2.Two" in words_of_pdf(data)
    told = ["Nothing has the label u", "Two places have the label fig:twice, eq:twice"]
    for steps in (stages, printed):
        assert [stage.words for stage in steps if stage.is_warning] == told


async def test_what_is_no_markdown_is_left_out_and_told(folder: Path) -> None:
    (folder / "a.md").write_text(
        "# One\n\nA\\newpage H<sub>2</sub>O <!-- aside --> line<br>end\n\n"
        "\\begin{table}\n\\include{a-long-name-of-a-file-that-is-cut}\n\\end{table}\n\n<hr>\n"
    )
    _, stages = await make(folder, "a.md", PublishOptions("html"))
    warnings = [stage.words for stage in stages if stage.is_warning]
    left = "\\newpage, <sub>, \\begin{table} \\include{a-long-name-of-a-…"
    assert warnings == [f"Left out, as it is no Markdown: {left} and 1 more"]


@pytest.mark.parametrize(
    ("head", "end", "listed"),
    [
        ("", "# References\n", ["Volume 1"]),
        ("nocite: '[@work2; @work1]'\n", "", ["Volume 1", "Volume 2"]),
        ("nocite: '@*'\n", "", ["Volume 0", "Volume 1", "Volume 2"]),
    ],
)
async def test_the_list_has_one_heading_and_all_that_nocite_names(
    folder: Path, head: str, end: str, listed: list[str]
) -> None:
    (folder / "a.md").write_text(f"---\ntitle: T\n{head}---\n\nSo [@work1].\n\n{end}")
    data, stages = await make(folder, "a.md", PublishOptions("html"))
    page = html.fromstring(data.decode())
    assert [one.text_content() for one in page.iter("h1")] == ["T", "References"]
    assert [one.text_content() for one in page.iter("em")] == listed
    assert not any(stage.is_warning for stage in stages)


async def test_a_broken_head_and_a_picture_that_is_gone_are_told_with_their_place(
    folder: Path,
) -> None:
    (folder / "a.md").write_text("---\ntitle: Tides\nauthor: [A, B\n---\n\n# One\n")
    with pytest.raises(PublishFailed, match=r"front matter can't be read: line [34], ") as broken:
        await make(folder, "a.md", PublishOptions("html"))
    assert "quotation marks" in broken.value.remedy
    (folder / "a.md").write_text("# One\n\n![A gauge](gone.png)\n\nWords.\n")
    data, stages = await make(folder, "a.md", PublishOptions("html"))
    warnings = [stage.words for stage in stages if stage.is_warning]
    assert warnings == ["Left out, as no picture of the folder: gone.png"]
    assert b"A gauge" in data


@pytest.mark.parametrize(
    ("to", "name", "template"),
    [
        ("html", "house.css", "p { color: teal; }"),
        ("epub", "house.css", "p { color: teal; }"),
        ("html", "house.html", "<main>$body$</main><!-- p { color: teal; } -->"),
        ("latex", "house.tex", "% p { color: teal; }\n$body$"),
    ],
)
async def test_what_a_template_says_is_in_the_result(
    folder: Path, to: PublishFormat, name: str, template: str
) -> None:
    (folder / name).write_text(template)
    (folder / "a.md").write_text("---\ntitle: T\n---\n\n# One\n\nWords [@work1].\n")
    data, _ = await make(folder, "a.md", PublishOptions(to, template=name))
    if to == "epub":
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            data = b"".join(package.read(one) for one in package.namelist())
    assert b"color: teal" in data
    assert b"recto-publish" not in data, "the private folder is nowhere named"


async def test_a_style_sheet_that_would_have_readers_fetch_something_is_refused(
    folder: Path,
) -> None:
    (folder / "house.css").write_text('@import "https://example.org/x.css";')
    (folder / "a.md").write_text("# One\n")
    with pytest.raises(PublishFailed, match=r"house\.css names files or addresses"):
        await make(folder, "a.md", PublishOptions("html", template="house.css"))


@pytest.mark.parametrize(
    "rules",
    [
        "p { background: url(https://example.org/x.png) }",
        'p { background: URL( "//example.org/x.png" ) }',
        "p { background: u\\72l(x.png) }",
        "p { background: image-set('x.png' 1x) }",
        "@font-face { src: url('font.woff2') }",
        "@\\69mport 'x.css';",
    ],
)
def test_a_style_sheet_leads_elsewhere_however_it_is_spelled(rules: str) -> None:
    assert leads_elsewhere(rules.encode())


@pytest.mark.parametrize(
    "rules",
    [
        "p { background: url(data:image/png;base64,AA) }",
        "p { background: url( 'data:image/png;base64,AA' ) }",
        'p { clip-path: url("#round"); content: "\\201c" }',
    ],
)
def test_a_style_sheet_may_name_what_stands_in_it(rules: str) -> None:
    assert not leads_elsewhere(rules.encode())


def test_a_drawing_may_name_its_own_parts_between_quotes() -> None:
    own = b"<svg><linearGradient id='g'/><rect style=\"fill: url('#g')\"/></svg>"
    assert not is_outward("a.svg", own)
    assert is_outward("a.svg", own.replace(b"'#g'", b"'g.svg#g'"))


async def test_only_what_is_on_the_list_is_handed_over(folder: Path) -> None:
    """By itself, whatever the jail, pandoc's sandbox and ours would stop behind it."""
    (folder / "a.md").write_text(
        "---\ntitle: T\ncsl: apa\nbibliography: /etc/x.bib\nheader-includes: x\ncss: x\n"
        "template: x\ninclude-before: x\nmathfont: x\n---\n\nSo [@work1].\n"
    )
    async with await Workspace.open(str(folder)) as workspace:
        draft = await read_draft(workspace, "a.md")
        library = await Libraries().open(workspace)
        composed = await compose(workspace, draft, library, PublishOptions("html"), "")
    assert set(composed.tree["meta"]) == {"title", "lang", "reference-section-title"}
    assert (composed.keys, "Volume 2" in composed.entries.bibtex) == (("work1",), False)


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("b.png", "a/b.png"),
        ("../b.png?x#y", "b.png"),
        ("../../b.png", None),
        ("%2e%2e/../b.png", None),
        ("/b.png", None),
        ("\\b.png", None),
        ("file:///b.png", None),
        ("https://x.example/b.png", None),
        ("data:image/png;base64,x", None),
        ("b.txt", None),
    ],
)
def test_pictures_are_those_of_the_folder(source: str, path: str | None) -> None:
    assert path_of("a/draft.md", source) == path
