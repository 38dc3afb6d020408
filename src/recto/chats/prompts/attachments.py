"""What goes along with a message: files, a passage, pictures, and the state of the workspace."""

from collections.abc import Sequence
from dataclasses import dataclass

from recto.chats.history.entries import AttachedText, User
from recto.chats.prompts.active_items import NOTHING_ON, ActiveItems
from recto.context import beginning, selection_attachment, workspace_meta
from recto.messages import Image
from recto.tools import KnownDocuments, ToolFailure, read_word
from recto.word import is_word
from recto.workspace import Workspace, WorkspaceFailure, content_hash

MAX_DOCUMENT_BYTES = 32_000_000


@dataclass(frozen=True, slots=True)
class SelectedPassage:
    """A passage of a file, with what stands around it."""

    path: str
    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """The document that the document agent is asked about."""

    path: str
    selection: tuple[int, int] | None = None
    """Where it begins and ends in the live text, in UTF-16 units; a cursor when both are one."""
    passage: "PagePassage | None" = None
    """What is selected in a Word document."""


@dataclass(frozen=True, slots=True)
class PagePassage:
    """A passage of a Word document: letters of numbered paragraphs, in UTF-16 units."""

    paragraph: int
    start: int
    last: int
    """The paragraph that it ends in."""
    end: int


@dataclass(frozen=True, slots=True)
class ChosenTransform:
    """A transform that takes the place of words."""

    id: str
    argument: str | None = None


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What a person sends."""

    text: str
    files: Sequence[str] = ()
    context_ids: Sequence[str] = ()
    """The contexts that are on: their files go along, besides `files`."""
    except_files: Sequence[str] = ()
    """Files of those contexts that stay behind."""
    skill_ids: Sequence[str] = ()
    """The skills that are on: their texts and files go along."""
    additional_prompt: str = ""
    """Instructions besides the message."""
    selection: SelectedPassage | None = None
    images: Sequence[Image] = ()
    model: str | None = None
    plan: bool = False
    open_tabs: Sequence[str] = ()
    active_tab: str | None = None
    document: OpenDocument | None = None
    """Asks the document agent instead of the chat's own."""
    transform: ChosenTransform | None = None
    """Only with a document, and something selected in it."""
    passages: Sequence[AttachedText] = ()
    """The passages of comments that are sent."""
    comments: Sequence[str] = ()
    """The ids of those comments."""
    decided: Sequence[str] = ()
    """What became of proposals since the last message, in words."""


async def gather(
    workspace: Workspace,
    said: UserMessage,
    known: KnownDocuments,
    on: ActiveItems = NOTHING_ON,
) -> User:
    """The message as it will stand in the history. Raises a WorkspaceFailure for a bad file."""
    files = tuple(dict.fromkeys(said.files))
    attached = [await attach(workspace, path, known) for path in files]
    left = frozenset((*files, *said.except_files))
    brought = (*(path for path in on.context_files if path not in left), *on.files)
    for path in dict.fromkeys(brought):
        if path not in files:
            attached.append(await attach_if_there(workspace, path, known))
    if said.selection is not None:
        passage = said.selection
        found = selection_attachment(passage.path, passage.before, passage.text, passage.after)
        attached.append(AttachedText(found.path, found.text, found.hash, "selection"))
    attached += said.passages
    attached += on.prompts()
    git = await workspace.recent_changes()
    return User(
        text=said.text,
        turn="",
        attached=tuple(attached),
        images=tuple(said.images),
        contexts=on.contexts,
        skills=on.shown(),
        meta=workspace_meta(said.open_tabs, said.active_tab, git.branch, git.files, said.decided),
    )


async def attach(workspace: Workspace, path: str, known: KnownDocuments) -> AttachedText:
    """A file as it is now."""
    text, cut = beginning(await text_of(workspace, path, known))
    return AttachedText(path, text, content_hash(text.encode("utf-8", "surrogatepass")), cut=cut)


async def text_of(workspace: Workspace, path: str, known: KnownDocuments) -> str:
    """What a model reads of a file: a text itself, a Word document as Markdown."""
    if not is_word(path):
        return (await workspace.read_text(path)).text
    data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
    try:
        return (await read_word(data, await workspace.real_path(path), known)).text
    except ToolFailure as failure:
        raise WorkspaceFailure(str(failure), "Open it in Word and save it again.") from failure


async def attach_if_there(workspace: Workspace, path: str, known: KnownDocuments) -> AttachedText:
    """A file that a context or a skill brings; one that can't be read is named, and why."""
    try:
        return await attach(workspace, path, known)
    except WorkspaceFailure as failure:
        return AttachedText(path, "", content_hash(b""), cut=f"not sent: {failure.message}")
