"""The JSON of what is said to a model: turns, and what can be asked of a chat."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from recto.server.schemas.base import Body, ResourceId, Schema, SkillId, Text

MAX_OFFSET = 100_000_000
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\u2028\u2029]*$")]
LongText = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=4_000_000)]
FilePath = Annotated[Text, StringConstraints(min_length=1, max_length=4096)]


class Selection(Body):
    """A passage of a file, with what stands around it."""

    path: FilePath
    before: Annotated[Text, StringConstraints(max_length=1000)] = ""
    text: LongText
    after: Annotated[Text, StringConstraints(max_length=1000)] = ""


class NewImage(Body):
    """A picture that goes with a message: its bytes in base64."""

    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
    data: Annotated[str, StringConstraints(min_length=4, max_length=7_000_000)]


class Stretch(Body):
    """A selection, in UTF-16 units of the live text; both ends the same are a cursor."""

    start: Annotated[int, Field(ge=0, le=MAX_OFFSET)]
    end: Annotated[int, Field(ge=0, le=MAX_OFFSET)]

    @model_validator(mode="after")
    def is_forward(self) -> Self:
        """A selection ends where it begins, or later."""
        if self.end < self.start:
            raise ValueError("the selection ends before it begins")
        return self


class WordPassage(Body):
    """Letters of a Word document, counted in its numbered paragraphs; a cursor without any."""

    paragraph: Annotated[int, Field(ge=1, le=MAX_OFFSET)]
    start: Annotated[int, Field(ge=0, le=MAX_OFFSET)]
    last: Annotated[int, Field(ge=1, le=MAX_OFFSET)]
    """The paragraph that it ends in."""
    end: Annotated[int, Field(ge=0, le=MAX_OFFSET)]

    @model_validator(mode="after")
    def goes_on(self) -> Self:
        """Within one paragraph it ends where it begins, or later."""
        if self.paragraph == self.last and self.end < self.start:
            raise ValueError("the passage ends before it begins")
        return self


class OpenDocument(Body):
    """The document that the document agent works on."""

    path: FilePath
    selection: Stretch | None = None
    passage: WordPassage | None = None
    """In place of a selection, in a Word document."""

    @model_validator(mode="after")
    def is_selected_once(self) -> Self:
        """A text has a selection, a Word document a passage."""
        if self.selection is not None and self.passage is not None:
            raise ValueError("a document has a selection or a passage, not both")
        return self


class ChosenTransform(Body):
    """A quick transform; what it is about is selected in the document."""

    id: Annotated[Text, StringConstraints(min_length=1, max_length=60)]
    argument: Annotated[Line, StringConstraints(min_length=1, max_length=60)] | None = None
    """Such as the language of a translation."""


class Transform(Schema):
    """A ready request about a passage."""

    id: str
    title: str
    argument: str | None
    """What it asks for besides the passage, such as a language; null when nothing."""


class TransformList(Schema):
    """Those that Recto brings, then the user's own."""

    items: list[Transform]


class GoesAlong(Body):
    """What goes along with the words of a message."""

    files: list[FilePath] = Field(default_factory=list, max_length=1000)
    context_ids: list[ResourceId] = Field(default_factory=list, max_length=100)
    """The contexts that are on: their files go along, besides `files`."""
    except_files: list[FilePath] = Field(default_factory=list, max_length=10_000)
    """Files of those contexts that stay behind."""
    skill_ids: list[SkillId] = Field(default_factory=list, max_length=50)
    """The skills that are on: their prompts and files go along."""
    additional_prompt: Annotated[Text, StringConstraints(max_length=64_000)] = ""
    """Instructions besides the message, such as those kept with the chat."""
    selection: Selection | None = None
    images: list[NewImage] = Field(default_factory=list[NewImage], max_length=20)
    model: Annotated[Text, StringConstraints(max_length=300)] | None = None
    """Only for this turn; null is the chat's."""
    plan: bool = False
    """Only tools that change nothing."""
    open_tabs: list[FilePath] = Field(default_factory=list, max_length=100)
    active_tab: FilePath | None = None


class NewTurn(GoesAlong):
    """Something to say to the model, or to the document agent."""

    text: LongText = ""
    """Left out with a transform, which has its own words."""
    profile: Literal["chat", "document"] = "chat"
    document: OpenDocument | None = None
    """With the profile "document", and only then."""
    transform: ChosenTransform | None = None
    """With something selected in a document, in place of words."""

    @model_validator(mode="after")
    def fits_together(self) -> Self:
        """What goes with a chat is not what goes with a document."""
        if (self.profile == "document") != (self.document is not None):
            raise ValueError('"document" goes with the profile "document", and only with that')
        if self.document is not None and self.selection is not None:
            raise ValueError('the selection of a document stands in "document"')
        if self.transform is None and "text" not in self.model_fields_set:
            raise ValueError('"text" is missing')
        if self.transform is not None and (self.text or not self._selects()):
            raise ValueError("a transform needs a selection in a document, and no text")
        return self

    def _selects(self) -> bool:
        if self.document is None:
            return False
        selection, passage = self.document.selection, self.document.passage
        if passage is not None:
            return (passage.paragraph, passage.start) != (passage.last, passage.end)
        return selection is not None and selection.end > selection.start


class Steer(Body):
    """Something to say while a turn runs; it joins at the next step."""

    text: LongText


class TurnAdmitted(Schema):
    """The input is stored."""

    turn_id: ResourceId
    state: Literal["running", "queued"]


class Turn(Schema):
    """A turn that has not ended, or waits to begin."""

    id: ResourceId
    state: Literal["running", "queued", "interrupted"]
    text: str
    """What the person said, for a turn that waits."""
    model: str | None
    started_at: int
    profile: Literal["chat", "document"]
    document: str | None
    """The path of the document that it is about."""
    limit: int | None
    """The most steps of the document agent; a chat's are told with each step."""


class Answer(Body):
    """The answer to a tool that asks."""

    answer: Literal["once", "chat", "always", "deny"]


class EntryEdit(NewTurn):
    """Other words for an earlier message; what followed it no longer counts."""


class Pin(Body):
    """Whether an entry is sent whole whatever happens."""

    pinned: bool


class Summarise(Body):
    """Which model summarises; null is the chat's."""

    model: Annotated[Text, StringConstraints(max_length=300)] | None = None


class Retry(Body):
    """Ask again for an answer, with the same model or another."""

    model: Annotated[Text, StringConstraints(max_length=300)] | None = None
