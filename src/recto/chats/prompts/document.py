"""The document that a turn is about: what goes along with the request, and its tools later.

A selection is kept as characters, not as numbers, so that it is found again after any edit.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from recto.chats.failures import ChatFailure
from recto.chats.history.entries import User
from recto.chats.prompts.active_items import NOTHING_ON, ActiveItems
from recto.chats.prompts.attachments import SelectedPassage, UserMessage, gather
from recto.chats.prompts.known_documents import StoredDocuments
from recto.chats.prompts.mentions import mentioned_resources
from recto.chats.prompts.turn_input import MarkedSelection, TargetDocument
from recto.chats.prompts.word_document import find_words, read_selected
from recto.chats.services import ChatServices
from recto.context import TRANSFORMS, DocumentFacts, ThreadFacts, Transform, document_meta
from recto.documents import Documents, InvalidPosition, LiveDocument, ReadOnly, from_utf16
from recto.tools import PROPOSE_EDIT, DocumentTarget, KnownDocuments, Toolbox, document_tools
from recto.tools import DocumentSelection as SelectedNow
from recto.word import is_word
from recto.workspace import Workspace

AROUND = 200
"""How many characters go along on each side of what is selected."""
MOST_SELECTED = 8_000
"""The most characters of a selection that go along, and that a transform takes."""


class NotEditable(ChatFailure):
    """The file can't be edited as text."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, "Choose a text file.")


class NotInText(ChatFailure):
    """A selection of another text."""

    def __init__(self) -> None:
        super().__init__("The selection is not in the text any more.", "Select it again.")


class NoSuchTransform(ChatFailure):
    """A transform that is not there, or that lacks something."""


async def gather_for(
    services: ChatServices, project_id: str, said: UserMessage, on: ActiveItems = NOTHING_ON
) -> tuple[User, TargetDocument | None]:
    """What a person said as it will stand in the history, and the document that it is about.

    Raises a WorkspaceFailure for a bad file, and a ChatFailure for a bad selection or transform.
    """
    await services.settle(project_id)
    workspace = await services.open_workspace(project_id)
    known = StoredDocuments(services.storage, project_id)
    if said.document is None:
        mentioned = await mentioned_resources(services, project_id, workspace, said.text)
        said = replace(said, passages=(*said.passages, *mentioned))
        return await gather(workspace, said, known, on), None
    if is_word(said.document.path):
        word = await read_selected(services, project_id, said.document.path, said.document.passage)
        user, passage = await gather_about(
            services, workspace, said, known, on, said.document.path, (word.text, word.place)
        )
        return user, TargetDocument(said.document.path, passage=passage, words=word.marked)
    # What is kept from the AI is refused before anything is stored.
    await workspace.for_tools().read_text(said.document.path)
    documents = await documents_of(services, project_id)
    async with documents.using(said.document.path) as live:
        if isinstance(live, ReadOnly):
            raise NotEditable(live.reason)
        text = live.text
        place = place_in(text, said.document.selection)
        user, passage = await gather_about(
            services, workspace, said, known, on, said.document.path, (text, place)
        )
        marked = None if place is None else mark(live, *place)
        return user, TargetDocument(said.document.path, marked, passage)


async def gather_about(
    services: ChatServices,
    workspace: Workspace,
    said: UserMessage,
    known: KnownDocuments,
    on: ActiveItems,
    path: str,
    seen: tuple[str, tuple[int, int] | None],
) -> tuple[User, str]:
    """The same, with the document's text and selection; and what a transform is about."""
    text, place = seen
    words = "" if place is None else text[slice(*place)]
    passage, selected = "", None
    if said.transform is not None:
        passage = words
        request = request_of(transforms_of(services), said.transform.id, said.transform.argument)
        said = replace(said, text=request)
        check_passage(passage)
    if place is not None and words:
        selected = around(path, text, *place)
    bare = replace(said, selection=selected, open_tabs=(), active_tab=None)
    user = await gather(workspace, bare, known, on)
    meta = document_meta(facts_of(path, text, place))
    return replace(user, meta=meta), passage


def place_in(text: str, selection: tuple[int, int] | None) -> tuple[int, int] | None:
    """A selection of a page, in characters. Raises NotInText."""
    if selection is None:
        return None
    try:
        start, end = (from_utf16(text, item) for item in selection)
    except InvalidPosition as failure:
        raise NotInText from failure
    return start, end


def mark(live: LiveDocument, start: int, end: int) -> MarkedSelection:
    """A selection by its first and last character; a cursor by the character before it."""
    first, last = live.anchor((start, "left" if start == end else "right"), (end, "left"))
    return MarkedSelection(live.epoch, first, last)


def around(path: str, text: str, start: int, end: int) -> SelectedPassage:
    """What is selected, with some of what stands around it."""
    words = text[start:end]
    if len(words) > MOST_SELECTED:
        more = len(words) - MOST_SELECTED
        words = f"{words[:MOST_SELECTED]}\n[{more:,} more characters are selected.]"
    return SelectedPassage(
        path, text[max(0, start - AROUND) : start], words, text[end : end + AROUND]
    )


def facts_of(path: str, text: str, place: tuple[int, int] | None) -> DocumentFacts:
    """The document as it is when something is asked about it."""
    lines = text.count("\n") + (not text.endswith("\n") and text != "")
    facts = DocumentFacts(path, lines, len(text.split()), len(text))
    if place is None:
        return facts
    first, last = (text.count("\n", 0, item) + 1 for item in place)
    is_cursor = place[0] == place[1]
    return replace(facts, cursor=first) if is_cursor else replace(facts, selected=(first, last))


def transforms_of(services: ChatServices) -> tuple[Transform, ...]:
    """The transforms that Recto brings, then the user's own."""
    return (*TRANSFORMS, *services.preferences().transforms)


def request_of(known: Sequence[Transform], id: str, argument: str | None) -> str:
    """The words of a transform. Raises NoSuchTransform."""
    found = next((item for item in known if item.id == id), None)
    if found is None:
        raise NoSuchTransform("There is no such transform.", "Choose one from the list.")
    if (found.argument is None) != (argument is None):
        wanted = f"needs a {found.argument}" if found.argument else "takes nothing besides"
        raise NoSuchTransform(f"“{found.title}” {wanted}.", "Choose it again.")
    return found.request(argument)


def check_measured(services: ChatServices, id: str, model: str | None) -> None:
    """Refuse a transform that a model was measured to do badly. Raises NoSuchTransform."""
    access = services.models.resolve(model or "chat")
    good = None if access is None else services.models.good_transforms(access)
    known = {transform.id: transform.title for transform in TRANSFORMS}
    if access is not None and good is not None and id in known and id not in good:
        raise NoSuchTransform(
            f"{access.name} is too small for “{known[id]}”.", "Choose another model for it."
        )


def check_passage(words: str) -> None:
    """Refuse what can't be rewritten in one answer. Raises NoSuchTransform."""
    if not words.strip():
        raise NoSuchTransform("There is nothing in the selection.", "Select a passage.")
    if len(words) > MOST_SELECTED:
        raise NoSuchTransform(
            f"The selection has {len(words):,} characters; a transform takes {MOST_SELECTED:,}.",
            "Select less, or say what to do in words.",
        )


def toolbox_for(
    services: ChatServices,
    project_id: str,
    toolbox: Toolbox,
    document: TargetDocument | None,
    thread: ThreadFacts | None,
) -> Toolbox:
    """The tools of a turn: those of the folder and the thread, or those of its one document."""
    if document is None:
        on_a_file = thread is not None and thread.path != ""
        return toolbox.with_tool(PROPOSE_EDIT) if on_a_file else toolbox
    aim = DocumentTarget(
        document.path,
        settle=partial(services.settle, project_id),
        selected=partial(find_selected, services, project_id, document),
    )
    return Toolbox(document_tools(aim), toolbox.permissions)


async def find_selected(
    services: ChatServices, project_id: str, document: TargetDocument
) -> SelectedNow | None:
    """Where the selection is now; None when there was none, or the document is another one."""
    if document.words is not None:
        return await find_words(services, project_id, document.path, document.words)
    marked = document.marked
    if marked is None:
        return None
    documents = await documents_of(services, project_id)
    async with documents.using(document.path) as live:
        if isinstance(live, ReadOnly) or live.epoch != marked.epoch:
            return None
        try:
            start, end = live.find(marked.start, marked.end)
        except InvalidPosition:
            return None
        start = min(start, end)
        return SelectedNow(start, end, live.text[start:end])


async def documents_of(services: ChatServices, project_id: str) -> Documents:
    """The live documents of a project, where there must be some."""
    assert services.open_documents is not None
    return await services.open_documents(project_id)
