"""The JSON of publishing."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.projects import Publication
from recto.publishing import PublishOptions, RenderedCitations, Stage, TextRun
from recto.server.schemas.base import Body, Schema, Text

DocumentPath = Annotated[Text, StringConstraints(min_length=1, max_length=4000)]
Named = Annotated[Text, StringConstraints(max_length=400)]


class PublishBody(Body):
    """What to publish, and how."""

    path: DocumentPath
    to: Literal["pdf", "docx", "html", "latex", "odt", "epub"] = "pdf"
    style: Named = ""
    """A style by its name, or a .csl file; empty: the one that the document names."""
    template: Named = "article"
    paper: Literal["a4", "us-letter"] = "a4"
    number_sections: bool = False
    contents: bool = False
    takes_edits: bool = False
    """Whether edits that wait for review are taken in; otherwise they are left out."""
    output: Annotated[Text, StringConstraints(max_length=4000)] = ""
    """Where the result shall lie; empty: beside the document."""
    replace: bool = False
    """Whether a file that lies there may go to the trash."""

    def options(self) -> PublishOptions:
        """How it shall look."""
        return PublishOptions(
            self.to, self.style, self.template, self.paper, self.number_sections, self.contents
        )


class PreviewBody(PublishBody):
    """Which page to show."""

    page: Annotated[int, Field(ge=1, le=10_000)] = 1


class PublishStage(Schema):
    """A step that is done, or something that is not as it should be."""

    words: str
    seconds: float | None
    is_warning: bool


class PublishDone(Schema):
    """The result."""

    path: str
    size: int
    citations: int


class PublishProblem(Schema):
    """Why there is no result."""

    detail: str
    is_in_the_way: bool
    """Whether a file lies where it should lie."""


class CitationsBody(Body):
    """The citations of a document, in their order."""

    path: DocumentPath
    head: Annotated[Text, StringConstraints(max_length=20_000)] = ""
    """Its front matter as it is typed."""
    citations: Annotated[
        list[Annotated[Text, StringConstraints(min_length=1, max_length=2000)]],
        Field(max_length=5000),
    ]


class ShownRun(Schema):
    """A piece of a text that looks the same."""

    text: str
    look: Literal["plain", "italic", "bold", "raised"]


class CitationsShown(Schema):
    """How they will print."""

    style: str
    citations: list[list[ShownRun]]
    bibliography: list[list[ShownRun]]
    unknown: list[str]


class StyleRow(Schema):
    """A citation style."""

    name: str
    title: str


class StyleList(Schema):
    """The styles that people ask for most; any other is named."""

    items: list[StyleRow]


def present_citations(found: RenderedCitations) -> CitationsShown:
    """Citations as pages show them."""
    return CitationsShown(
        style=found.style,
        citations=[present_runs(runs) for runs in found.citations],
        bibliography=[present_runs(runs) for runs in found.bibliography],
        unknown=list(found.unknown),
    )


def present_runs(runs: Sequence[TextRun]) -> list[ShownRun]:
    """A text as pages show it."""
    return [ShownRun(text=run.text, look=run.look) for run in runs]


def present_stage(stage: Stage) -> PublishStage:
    """A step, as pages see it."""
    return PublishStage(words=stage.words, seconds=stage.seconds, is_warning=stage.is_warning)


def present_publication(made: Publication) -> PublishDone:
    """A result, as pages see it."""
    return PublishDone(path=made.path, size=made.size, citations=made.citations)
