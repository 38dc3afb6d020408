"""A Word document that came back: which draft it is of, and what was changed and said in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from recto.publishing.composition import compose
from recto.publishing.conversion import convert
from recto.publishing.draft import Draft, DraftPart
from recto.publishing.failures import PublishFailed
from recto.publishing.returns.commenting import PlacedComment, placed_comments
from recto.publishing.returns.lost_formulas import with_lost_formulas
from recto.publishing.returns.planning import ReturnPlan, plan_return
from recto.publishing.returns.record import MARK, SentDraft, SentDrafts
from recto.publishing.styles import CitationStyle
from recto.references import Library
from recto.word import (
    ContentParagraph,
    DocumentContents,
    ReadContents,
    WordFailure,
    ask_worker,
)
from recto.workspace import Workspace

UNKNOWN = "This document was not published from a draft that Recto knows."
REMEDY = "Publish the draft as a Word document, and send that one out."


@dataclass(frozen=True, slots=True)
class ReturnedDraft:
    """A document that came back, and the draft as it was sent."""

    sent: SentDraft
    contents: DocumentContents
    plan: ReturnPlan
    comments: tuple[PlacedComment, ...]


def find_sent(
    kept: SentDrafts, contents: DocumentContents, root: str, draft: str = ""
) -> SentDraft | None:
    """The draft that a document was published from: it says so, or `draft` is likely the one."""
    found = kept.get(contents.origin)
    if found is None and draft:
        found = kept.of_draft(root, draft, contents.paragraphs)
    return found


async def read_document(data: bytes, *, only_origin: bool = False) -> DocumentContents:
    """What a document says, or only where it comes from. Raises PublishFailed."""
    try:
        found = (await ask_worker(ReadContents(MARK, only_origin), data)).contents
    except WordFailure as failure:
        raise PublishFailed(failure.message, "Ask for the document again.") from failure
    if found is None:
        raise TypeError("A document that was read has contents.")
    return found


async def read_returned(
    workspace: Workspace, library: Library, sent: SentDraft, contents: DocumentContents
) -> ReturnedDraft:
    """What was changed and said since the draft was sent. Raises PublishFailed."""
    style = CitationStyle("", "", sent.style)

    async def render(parts: Sequence[str]) -> tuple[ContentParagraph, ...]:
        files = zip((path for path, _ in sent.parts), parts, strict=True)
        draft = Draft(sent.path, tuple(DraftPart(path, text) for path, text in files))
        composed = await compose(workspace, draft, library, sent.options, "")
        composed = replace(composed, entries=sent.entries)
        with TemporaryDirectory(prefix="recto-return-") as folder:
            data = await convert(workspace, composed, style, sent.options, Path(folder))
        return (await read_document(data)).paragraphs

    contents = with_lost_formulas(sent.paragraphs, contents)
    plan = await plan_return(sent.texts, sent.paragraphs, contents, render)
    comments = placed_comments(plan, contents.paragraphs, contents.comments)
    return ReturnedDraft(sent, contents, plan, tuple(comments))
