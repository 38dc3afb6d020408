"""What a person chooses when they publish."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

PublishFormat = Literal["pdf", "docx", "html", "latex", "odt", "epub"]
Paper = Literal["a4", "us-letter"]
FORMATS: tuple[PublishFormat, ...] = get_args(PublishFormat)
PAPERS: tuple[Paper, ...] = get_args(Paper)
ENDINGS: Mapping[PublishFormat, str] = {
    "pdf": ".pdf",
    "docx": ".docx",
    "html": ".html",
    "latex": ".tex",
    "odt": ".odt",
    "epub": ".epub",
}
TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "article": ("fontsize=11pt", "margin.x=2.5cm", "margin.y=2.5cm"),
    "journal": ("fontsize=9pt", "columns=2", "margin.x=1.8cm", "margin.y=2cm"),
    "thesis": ("fontsize=12pt", "linestretch=1.3", "margin.x=3.5cm", "margin.y=3cm"),
}
"""What each layout of ours tells pandoc's own template of Typst."""
TEMPLATE_ENDINGS: Mapping[PublishFormat, tuple[str, ...]] = {
    "pdf": (".typ", ".typst"),
    "docx": (".docx",),
    "odt": (".odt",),
    "html": (".html", ".css"),
    "latex": (".tex", ".latex"),
    "epub": (".css",),
}
"""The files that each format takes as a template."""


def ending_of(to: PublishFormat) -> str:
    """How the names of results end."""
    return ENDINGS[to]


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """How a document shall look."""

    to: PublishFormat = "pdf"
    style: str = ""
    """A style by its name, or a file of the folder; empty: the one that the document names."""
    template: str = "article"
    """One of ours, or a file of the folder."""
    paper: Paper = "a4"
    number_sections: bool = False
    contents: bool = False
