"""Citations as they will be printed: made by the same pandoc, for the rendered text of the page."""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

import anyio
from lxml import html

from recto.publishing.pandoc import run_pandoc
from recto.publishing.styles import CitationStyle, find_style
from recto.references import CitedEntries, Library, cited_entries, find_citations, listed_only
from recto.workspace import Workspace

# Without metadata: a bibliography that it names would be read.
DIALECT = "markdown-yaml_metadata_block-pandoc_title_block-raw_html-raw_tex-raw_attribute"
MOST_KEPT = 64
RunLook = Literal["plain", "italic", "bold", "raised"]
LOOKS: dict[str, RunLook] = {"em": "italic", "i": "italic", "strong": "bold", "sup": "raised"}


class TextRun(NamedTuple):
    """A piece of a text that looks the same."""

    text: str
    look: RunLook


@dataclass(frozen=True, slots=True)
class RenderedCitations:
    """What citations look like in a style."""

    style: str
    """The style's title."""
    citations: tuple[tuple[TextRun, ...], ...]
    """Each in the order in which they were given."""
    bibliography: tuple[tuple[TextRun, ...], ...]
    unknown: tuple[str, ...]


class CitationPreviews:
    """Renders citations; what was rendered before is remembered."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, RenderedCitations] = OrderedDict()

    async def render(
        self,
        workspace: Workspace,
        library: Library,
        document: str,
        text: str,
        citations: Sequence[str],
    ) -> RenderedCitations:
        """Citations of a document, all of them in their order. Raises PublishFailed."""
        style = await find_style(workspace, document, text, "")
        lines = [" ".join(citation.split()) for citation in citations]
        cited = [place.key for line in lines for place in find_citations(line)]
        listed = [key for key in listed_only(text, library) if key not in cited]
        entries = cited_entries(library, [*cited, *listed])
        mark = digest(style, entries, [*lines, *listed])
        known = self._known.get(mark)
        if known is None:
            known = await render(style, entries, lines, listed)
            self._known[mark] = known
            if len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(mark)
        return known


def digest(style: CitationStyle, entries: CitedEntries, lines: Sequence[str]) -> bytes:
    """What a rendering depends on."""
    told = blake2b(style.data, digest_size=20)
    for text in (entries.bibtex, entries.csl, *lines):
        told.update(text.encode("utf-8", "replace") + b"\0")
    return told.digest()


async def render(
    style: CitationStyle, entries: CitedEntries, lines: Sequence[str], unseen: Sequence[str]
) -> RenderedCitations:
    """Have pandoc render citations, each a paragraph of its own; those only listed come last."""
    text = "".join(
        f"::::::: {{#citation{number}}}\n{escaped(line)}\n:::::::\n\n"
        for number, line in enumerate(lines)
    )
    if unseen:
        text += f"[{'; '.join(f'@{{{key}}}' for key in unseen)}]\n"
    with TemporaryDirectory(prefix="recto-citations-") as folder:
        arguments = await bibliography_arguments(Path(folder), style, entries)
        arguments += ["--from", DIALECT, "--to", "html", "--wrap", "none"]
        made = await run_pandoc(arguments, text.encode("utf-8", "replace"), Path(folder))
    shown, listed = await anyio.to_thread.run_sync(read_rendered, made.decode(), len(lines))
    return RenderedCitations(style.title, shown, listed, entries.unknown)


async def bibliography_arguments(
    folder: Path, style: CitationStyle, entries: CitedEntries
) -> list[str]:
    """What tells pandoc of the style and the entries, which are put into a private folder."""
    await anyio.Path(folder / "style.csl").write_bytes(style.data)
    await anyio.Path(folder / "cited.bib").write_text(entries.bibtex, encoding="utf-8")
    await anyio.Path(folder / "cited.json").write_text(entries.csl, encoding="utf-8")
    return [
        "--citeproc",
        f"--csl={folder / 'style.csl'}",
        f"--bibliography={folder / 'cited.bib'}",
        f"--bibliography={folder / 'cited.json'}",
    ]


def escaped(line: str) -> str:
    """A citation that can only be a citation: no line of it opens a block."""
    return re.sub(r"^([:#>+*|-]|\d+[.)])", r"\\\1", line)


def read_rendered(
    made: str, count: int
) -> tuple[tuple[tuple[TextRun, ...], ...], tuple[tuple[TextRun, ...], ...]]:
    """The citations and the entries out of what pandoc made."""
    root = html.fromstring(f"<div>{made}</div>")
    by_id = {place.get("id", ""): place for place in root.iter() if isinstance(place.tag, str)}
    shown = tuple(runs_of(by_id.get(f"citation{number}")) for number in range(count))
    listed = tuple(runs_of(entry) for entry in root.iter("div") if "csl-entry" in entry.classes)
    return shown, listed


def runs_of(element: html.HtmlElement | None) -> tuple[TextRun, ...]:
    """The words of an element with their looks, those of notes aside."""
    found: list[TextRun] = []

    def add(text: str | None, look: RunLook) -> None:
        words = re.sub(r"\s+", " ", text or "")
        if words and (words != " " or found):
            found.append(TextRun(words, look))

    def visit(inside: html.HtmlElement, look: RunLook) -> None:
        add(inside.text, look)
        for child in inside:
            if isinstance(child.tag, str):
                visit(child, LOOKS.get(child.tag, look))
            add(child.tail, look)

    if element is not None:
        visit(element, "plain")
    if found:
        found[0] = TextRun(found[0].text.lstrip(), found[0].look)
        found[-1] = TextRun(found[-1].text.rstrip(), found[-1].look)
    return tuple(run for run in found if run.text)
