"""What a model writes into cells of notebooks: shown there while it comes, before its call runs."""

from recto.chats.services import ChatServices
from recto.messages import StreamEvent, ToolCallDelta, ToolCallStarted
from recto.notebooks import WRITING_TOOLS, CellDraft
from recto.workspace import WorkspaceFailure


class WrittenCells:
    """The cells that one turn is writing."""

    def __init__(self, services: ChatServices, project_id: str) -> None:
        self._services = services
        self._project_id = project_id
        self._drafts: dict[int, CellDraft] = {}
        """By the slots of the answer that comes in."""
        self._places: dict[str, str] = {}
        """The notebooks of calls, by their ids."""

    async def see(self, piece: StreamEvent) -> None:
        """A piece of the answer has come."""
        match piece:
            case ToolCallStarted(slot, call_id, name) if name in WRITING_TOOLS:
                self._drafts[slot] = CellDraft(call_id, name)
            case ToolCallDelta(slot, text) if slot in self._drafts:
                self._drafts[slot].add(text)
                await self._show(self._drafts[slot])
            case _:
                pass

    def end(self, call_id: str) -> None:
        """A call has run."""
        for slot, draft in list(self._drafts.items()):
            if draft.call_id == call_id:
                self._drop(self._drafts.pop(slot))

    def end_all(self) -> None:
        """The answer has been dealt with; or nobody will."""
        while self._drafts:
            self._drop(self._drafts.popitem()[1])

    async def _show(self, draft: CellDraft) -> None:
        notebooks, place = self._services.notebooks, self._places.get(draft.call_id)
        if notebooks is None:
            return
        if place is None:
            path = draft.path
            if path is None:
                return
            place = self._places[draft.call_id] = await self._find(path)
        watcher = notebooks.watchers.get(place)
        if watcher is not None:
            watcher.drafts.show(draft)

    async def _find(self, path: str) -> str:
        """The key of a notebook; empty where there is none: the call itself says so."""
        try:
            workspace = await self._services.open_workspace(self._project_id)
            return f"{workspace.root}/{await workspace.real_path(path)}"
        except WorkspaceFailure:
            return ""

    def _drop(self, draft: CellDraft) -> None:
        notebooks, place = self._services.notebooks, self._places.pop(draft.call_id, "")
        watcher = None if notebooks is None else notebooks.watchers.get(place)
        if watcher is not None:
            watcher.drafts.end(draft)
