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
    "Paper",
    "PublishFailed",
    "PublishFormat",
    "PublishOptions",
    "Published",
    "RenderedCitations",
    "Stage",
    "TextRun",
    "common_styles",
    "ending_of",
    "html_as_markdown",
    "preview",
    "publish",
    "ReadText",
    "read_draft",
]
