"""Documents made into PDF, Word and other files, with citations, by pandoc and Typst."""

from recto.publishing.citation_previews import CitationPreviews, RenderedCitations, TextRun
from recto.publishing.draft import BOOK_FILE, Draft, DraftPart, ReadText, read_draft
from recto.publishing.failures import PublishFailed
from recto.publishing.options import (
    FORMATS,
    PAPERS,
    TEMPLATES,
    Paper,
    PublishFormat,
    PublishOptions,
    ending_of,
)
from recto.publishing.pandoc import html_as_markdown
from recto.publishing.publisher import Published, Stage, preview, publish
from recto.publishing.returns.commenting import PlacedComment
from recto.publishing.returns.planning import PlannedChange
from recto.publishing.returns.reading import ReturnedDraft, find_sent, read_document, read_returned
from recto.publishing.returns.rebasing import MovedText, moved_since, rebased
from recto.publishing.returns.record import SentDraft, SentDrafts
from recto.publishing.returns.source_edits import SourceEdit
from recto.publishing.styles import CitationStyle, common_styles

__all__ = [
    "BOOK_FILE",
    "FORMATS",
    "PAPERS",
    "TEMPLATES",
    "CitationPreviews",
    "CitationStyle",
    "Draft",
    "DraftPart",
    "MovedText",
    "Paper",
    "PlacedComment",
    "PlannedChange",
    "PublishFailed",
    "PublishFormat",
    "PublishOptions",
    "Published",
    "RenderedCitations",
    "ReturnedDraft",
    "SentDraft",
    "SentDrafts",
    "SourceEdit",
    "Stage",
    "TextRun",
    "common_styles",
    "ending_of",
    "find_sent",
    "moved_since",
    "read_document",
    "read_returned",
    "rebased",
    "html_as_markdown",
    "preview",
    "publish",
    "ReadText",
    "read_draft",
]
