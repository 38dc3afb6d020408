"""What goes along with a message: files, a passage, pictures, and the state of the workspace."""

from collections.abc import Sequence
from dataclasses import dataclass

from recto.chats.entries import Attached, User
from recto.context import selection_attachment, workspace_meta
from recto.messages import Image
from recto.workspace import Workspace, content_hash

LARGEST = 50_000
"""A longer file is cut, and says so."""


@dataclass(frozen=True, slots=True)
class Selected:
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


@dataclass(frozen=True, slots=True)
class ChosenTransform:
    """A transform that takes the place of words."""

    id: str
    argument: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What a person sends."""

    text: str
    files: Sequence[str] = ()
    selection: Selected | None = None
    images: Sequence[Image] = ()
    model: str | None = None
    plan: bool = False
    open_tabs: Sequence[str] = ()
    active_tab: str | None = None
    document: OpenDocument | None = None
    """Asks the document agent instead of the chat's own."""
    transform: ChosenTransform | None = None
    """Only with a document, and something selected in it."""
    passages: Sequence[Attached] = ()
    """The passages of comments that are sent."""
    comments: Sequence[str] = ()
    """The ids of those comments."""
    decided: Sequence[str] = ()
    """What became of proposals since the last message, in words."""


async def gather(workspace: Workspace, said: Said) -> User:
    """The message as it will stand in the history. Raises a WorkspaceFailure for a bad file."""
    attached = [await attach(workspace, path) for path in dict.fromkeys(said.files)]
    if said.selection is not None:
        passage = said.selection
        found = selection_attachment(passage.path, passage.before, passage.text, passage.after)
        attached.append(Attached(found.path, found.text, found.hash, "selection"))
    attached += said.passages
    state = await workspace.git_state()
    changes = await workspace.recent_changes()
    return User(
        text=said.text,
        turn="",
        attached=tuple(attached),
        images=tuple(said.images),
        meta=workspace_meta(said.open_tabs, said.active_tab, state.branch, changes, said.decided),
    )


async def attach(workspace: Workspace, path: str) -> Attached:
    """A file as it is now."""
    file = await workspace.read_text(path)
    text, cut = file.text, None
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST:
        head = text.encode("utf-8", "surrogatepass")[:LARGEST].decode("utf-8", "ignore")
        text = head
        cut = f"only the first {len(head):,} of {len(file.text):,} characters"
    return Attached(path, text, content_hash(text.encode("utf-8", "surrogatepass")), cut=cut)
