"""Publishing a draft, step by step; each step is told when it is done."""

import json
import posixpath
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from recto.clock import Clock
from recto.publishing.citation_previews import bibliography_arguments
from recto.publishing.composition import Composition, compose
from recto.publishing.draft import Draft
from recto.publishing.failures import PublishFailed
from recto.publishing.options import ENDINGS, TEMPLATE_ENDINGS, TEMPLATES, PublishOptions
from recto.publishing.pandoc import run_pandoc
from recto.publishing.styles import CitationStyle, find_style
from recto.publishing.typesetting import typeset_document
from recto.references import Library, claim_lines
from recto.workspace import Workspace, WorkspaceFailure

MAX_TEMPLATE = 20_000_000
# Captions have their numbers already.
TYPST_HEAD = "#show figure.caption: it => it.body\n#show link: it => it\n"
LATEX_HEAD = "\\usepackage{caption}\n\\captionsetup{labelformat=empty,labelsep=none}\n"
PANDOC_NAMES = {"pdf": "typst", "html": "html5", "epub": "epub3"}


@dataclass(frozen=True, slots=True)
class Stage:
    """A step that is done, or something that somebody should know."""

    words: str
    seconds: float | None
    """How long it took; None for what is only said."""
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class Published:
    """The result."""

    data: bytes
    ending: str
    citations: int


class Steps:
    """Measures steps."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = clock.monotonic()

    def done(self, words: str) -> Stage:
        """A step is done."""
        since, self._since = self._since, self._clock.monotonic()
        return Stage(words, self._since - since)


async def publish(
    workspace: Workspace,
    draft: Draft,
    library: Library,
    options: PublishOptions,
    *,
    clock: Clock,
    home: str = "",
) -> AsyncGenerator[Stage | Published]:
    """Make the result, telling of each step; the result comes last. Raises PublishFailed.

    `home` is the folder in which it will lie.
    """
    steps = Steps(clock)
    composed = await compose(workspace, draft, library, options, home)
    yield steps.done(read_words(draft, composed))
    for words in warnings_of(draft, composed):
        yield Stage(words, None, is_warning=True)
    style = await find_style(workspace, draft.path, draft.text, options.style)
    with TemporaryDirectory(prefix="recto-publish-") as name:
        folder = Path(name)
        data = await convert(workspace, composed, style, options, folder)
        yield steps.done(cited_words(composed, style))
        if options.to == "pdf":
            await typeset_document(folder, "pdf")
            data = await anyio.Path(folder / "document.pdf").read_bytes()
            yield steps.done("Typst, to PDF")
    yield Published(data, ENDINGS[options.to], composed.citations)


async def preview(
    workspace: Workspace, draft: Draft, library: Library, options: PublishOptions, page: int
) -> tuple[bytes, int]:
    """A picture of one page as it will be printed, and how many there are. Raises PublishFailed."""
    own = options.to == "pdf" or options.template in TEMPLATES
    printed = replace(options, to="pdf", template=options.template if own else "article")
    composed = await compose(workspace, draft, library, printed, "")
    style = await find_style(workspace, draft.path, draft.text, options.style)
    with TemporaryDirectory(prefix="recto-preview-") as name:
        folder = Path(name)
        await convert(workspace, composed, style, printed, folder)
        pages = await typeset_document(folder, "png")
        shown = anyio.Path(folder / f"page{min(max(page, 1), pages)}.png")
        if not await shown.exists():
            raise PublishFailed(f"Page {page} is not shown.", "Publish the document to see it all.")
        return await shown.read_bytes(), pages


async def convert(
    workspace: Workspace,
    composed: Composition,
    style: CitationStyle,
    options: PublishOptions,
    folder: Path,
) -> bytes:
    """What pandoc makes of a draft; for a PDF it lies in the folder, its pictures beside it."""
    arguments = await bibliography_arguments(folder, style, composed.entries)
    arguments += await layout_arguments(workspace, options, folder)
    to = PANDOC_NAMES.get(options.to, options.to)
    arguments += ["--from", "json", "--to", to, "--standalone", "--output", "-"]
    data = await run_pandoc(arguments, json.dumps(composed.tree).encode(), folder)
    if options.to == "pdf":
        await anyio.Path(folder / "document.typ").write_bytes(data)
        for path, name in composed.pictures.names().items():
            await anyio.Path(folder / name).write_bytes(composed.pictures.data[path])
    return data


async def layout_arguments(
    workspace: Workspace, options: PublishOptions, folder: Path
) -> list[str]:
    """What tells pandoc of the layout. Raises PublishFailed."""
    arguments = ["--toc"] if options.contents else []
    if options.to == "pdf":
        arguments += [
            f"--variable=papersize={options.paper}",
            f"--variable=header-includes={TYPST_HEAD}",
        ]
        arguments += [f"--variable={value}" for value in TEMPLATES.get(options.template, ())]
    elif options.to == "latex":
        paper = "a4" if options.paper == "a4" else "letter"
        arguments += [f"--variable=papersize={paper}", f"--variable=header-includes={LATEX_HEAD}"]
    elif options.to in ("html", "epub"):
        arguments += ["--mathml"]
    if options.template in TEMPLATES:
        return arguments
    return [*arguments, await template_argument(workspace, options, folder)]


async def template_argument(workspace: Workspace, options: PublishOptions, folder: Path) -> str:
    """What tells pandoc of a template of the folder."""
    path = posixpath.normpath(options.template)
    ending = posixpath.splitext(path)[1].lower()
    if ending not in TEMPLATE_ENDINGS[options.to]:
        takes = " or ".join(TEMPLATE_ENDINGS[options.to])
        raise PublishFailed(
            f"“{options.template}” is no template for this format.",
            f"Name {', '.join(TEMPLATES)}, or a file that ends in {takes}.",
        )
    try:
        data = await workspace.read_bytes(path, max_bytes=MAX_TEMPLATE)
    except WorkspaceFailure as failure:
        raise PublishFailed(f"The template can't be read: {failure}") from failure
    if ending in (".typ", ".typst") and b'"@' in data:
        raise PublishFailed(
            f"{path} imports a package, which would have to be fetched.",
            "Copy what it needs into the template.",
        )
    private = folder / f"template{ending}"
    await anyio.Path(private).write_bytes(data)
    match ending:
        case ".docx" | ".odt":
            return f"--reference-doc={private}"
        case ".css":
            return f"--css={private}"
        case _:
            return f"--template={private}"


def read_words(draft: Draft, composed: Composition) -> str:
    """What was read."""
    name = posixpath.basename(draft.path)
    files = f"Read {name}" if len(draft.parts) == 1 else f"Read {len(draft.parts)} files of {name}"
    figures = len(composed.pictures.data)
    return (
        files
        if figures == 0
        else f"{files} and {figures} {'picture' if figures == 1 else 'pictures'}"
    )


def cited_words(composed: Composition, style: CitationStyle) -> str:
    """What was cited, and in which style."""
    count = composed.citations
    if count == 0:
        return "No citations"
    return f"{count} {'citation' if count == 1 else 'citations'} in the style {style.title}"


def warnings_of(draft: Draft, composed: Composition) -> list[str]:
    """What is missing, in words."""
    told: list[str] = []
    if composed.entries.unknown:
        told.append(f"Not in the library: {', '.join(composed.entries.unknown)}")
    if composed.missing_labels:
        told.append(f"Nothing has the label {', '.join(composed.missing_labels)}")
    if composed.pictures.left_out:
        names = ", ".join(composed.pictures.left_out)
        told.append(f"Left out, as no picture of the folder: {names}")
    claims = sum(len(claim_lines(part.text)) for part in draft.parts)
    if claims:
        told.append(f"{claims} {'claim is' if claims == 1 else 'claims are'} marked [citation?]")
    return told
