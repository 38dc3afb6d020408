"""Publishing a draft, step by step; each step is told when it is done."""

import posixpath
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from recto.clock import Clock
from recto.publishing.composition import Composition, compose
from recto.publishing.conversion import convert
from recto.publishing.draft import Draft
from recto.publishing.failures import PublishFailed
from recto.publishing.options import ENDINGS, TEMPLATES, PublishOptions
from recto.publishing.returns.record import MARK, SentDraft, record_of, with_paragraphs
from recto.publishing.styles import CitationStyle, find_style
from recto.publishing.tree import meta_text
from recto.publishing.typesetting import typeset_document
from recto.references import Library, claim_lines
from recto.word import WordFailure
from recto.workspace import Workspace

MOST_NAMED = 3
MOST_SHOWN = 40


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
    sent: SentDraft | None = None
    """Of a Word document: what is kept until it comes back."""


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
        sent = None
        if options.to == "docx":
            sent = record_of(str(workspace.root), draft, composed, style, options)
            composed.tree["meta"][MARK] = meta_text(sent.id)
        data = await convert(workspace, composed, style, options, folder)
        yield steps.done(cited_words(composed, style))
        if sent is not None:
            try:
                sent = await with_paragraphs(sent, data)
            except WordFailure as failure:
                words = f"Changes made in Word can't be brought back: {failure.message}"
                sent = None
                yield Stage(words, None, is_warning=True)
        if options.to == "pdf":
            await typeset_document(folder, "pdf")
            data = await anyio.Path(folder / "document.pdf").read_bytes()
            yield steps.done("Typst, to PDF")
    yield Published(data, ENDINGS[options.to], composed.citations, sent)


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
    if composed.repeated_labels:
        told.append(f"Two places have the label {', '.join(composed.repeated_labels)}")
    if composed.pictures.left_out:
        names = ", ".join(composed.pictures.left_out)
        told.append(f"Left out, as no picture of the folder: {names}")
    if composed.raw:
        more = len(composed.raw) - MOST_NAMED
        shown = ", ".join(shortened(text) for text in composed.raw[:MOST_NAMED])
        told.append(
            f"Left out, as it is no Markdown: {shown}{f' and {more} more' if more > 0 else ''}"
        )
    claims = sum(len(claim_lines(part.text)) for part in draft.parts)
    if claims:
        told.append(f"{claims} {'claim is' if claims == 1 else 'claims are'} marked [citation?]")
    return told


def shortened(text: str) -> str:
    """The beginning of a text."""
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
