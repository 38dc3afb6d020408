"""A turn's hands: runs its tools, notes every change before it is made, keeps long output."""

from functools import partial
from typing import Any

from recto.access import Access
from recto.chats.means import Means
from recto.chats.minutes import Minutes
from recto.messages import ToolCall
from recto.storage import NewEvent, NotFound, Storage, Write
from recto.tools import (
    Change,
    Effect,
    FileState,
    Hands,
    Moved,
    NoSuchOutput,
    Outcome,
    RecordedFiles,
    Rewrite,
    Toolbox,
)
from recto.workspace import Workspace

ROOM = 30_000
HANDLE = "output:"
HANDLE_LENGTH = 16


class Reach:
    """What the tools of one turn may touch."""

    def __init__(
        self,
        means: Means,
        workspace: Workspace,
        toolbox: Toolbox,
        minutes: Minutes,
        access: Access,
        *,
        plan: bool,
        rewrite: Rewrite | None = None,
    ) -> None:
        self._rewrite = rewrite
        self._storage = means.storage
        self._workspace = workspace
        self._toolbox = toolbox
        self._minutes = minutes
        self._sees_images = access.traits.images
        # A token is two characters or more: one answer leaves most of a small window free.
        self._room = min(ROOM, access.window // 2)
        self._plan = plan
        self._changed: dict[str, list[str]] = {}

    def is_safe(self, call: ToolCall) -> bool:
        """Whether a call changes nothing; one to a tool that is not there is only refused."""
        tool = self._toolbox.find(call.name)
        return tool is None or not tool.changes

    async def call(self, call: ToolCall, *, approved: bool) -> Outcome:
        """Run a tool."""
        hands = Hands(
            workspace=self._workspace,
            files=RecordedFiles(
                self._workspace, partial(self._note, call.id), rewrite=self._rewrite
            ),
            outputs=Outputs(self._storage),
            tell=partial(self._print, call.id),
            sees_images=self._sees_images,
            room=self._room,
            approved=approved,
        )
        return await self._toolbox.call(call, hands, plan=self._plan)

    def changed(self, call_id: str) -> tuple[str, ...]:
        """The paths that a call has changed."""
        return tuple(dict.fromkeys(self._changed.pop(call_id, ())))

    async def _note(self, call_id: str, changes: tuple[Change, ...]) -> None:
        """Write down what is about to be changed, with what is there now, before it happens."""
        await note_changes(self._minutes, self._storage, call_id, changes)
        for change in changes:
            paths = (change.path, change.new_path) if isinstance(change, Moved) else (change.path,)
            self._changed.setdefault(call_id, []).extend(paths)

    async def _print(self, call_id: str, text: str) -> None:
        self._minutes.add("call_output", {"call_id": call_id, "text": text})


class Outputs:
    """Long output, kept whole in the store."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    async def keep(self, text: str) -> str:
        """Keep a text; answers its handle."""
        async with self._storage.write() as write:
            digest = await self._storage.blobs.put(write, text.encode("utf-8", "replace"))
        return HANDLE + digest[:HANDLE_LENGTH]

    async def read(self, handle: str) -> str:
        """The text of a handle. Raises NoSuchOutput."""
        start = handle.removeprefix(HANDLE)
        if handle == start or len(start) != HANDLE_LENGTH or not start.isalnum():
            raise NoSuchOutput(handle)
        try:
            data = await self._storage.blobs.starting_with(start)
        except NotFound as error:
            raise NoSuchOutput(handle) from error
        return data.decode("utf-8", "replace")


async def note_changes(
    minutes: Minutes, storage: Storage, call_id: str, changes: tuple[Change, ...]
) -> None:
    """Write down changes of a call; when it returns, they are in the record."""

    async def work(write: Write) -> list[dict[str, Any]]:
        return [await kept_change(change, write, storage) for change in changes]

    def tell(kept: list[dict[str, Any]]) -> list[NewEvent]:
        return [minutes.event("change", {"call_id": call_id, "changes": kept})]

    await minutes.journal.commit_with(work, tell)


async def kept_change(change: Change, write: Write, storage: Storage) -> dict[str, Any]:
    """A change as the record tells it, its contents kept as blobs."""
    if isinstance(change, Moved):
        return {"path": change.path, "new_path": change.new_path}
    return {
        "path": change.path,
        "before": await kept_state(change.before, write, storage),
        "after": await kept_state(change.after, write, storage),
    }


async def kept_state(
    state: FileState | None, write: Write, storage: Storage
) -> dict[str, Any] | None:
    """A path's state as the record tells it."""
    if state is None:
        return None
    digest = await storage.blobs.put(write, state.data)
    return {"kind": state.kind, "mode": state.mode, "blob": digest}


async def read_change(kept: dict[str, Any], storage: Storage) -> Change:
    """A change that was kept."""
    if "new_path" in kept:
        return Moved(kept["path"], kept["new_path"])
    before, after = [await read_state(kept[name], storage) for name in ("before", "after")]
    return Effect(kept["path"], before, after)


async def read_state(kept: dict[str, Any] | None, storage: Storage) -> FileState | None:
    """A path's state that was kept."""
    if kept is None:
        return None
    return FileState(kept["kind"], await storage.blobs.get(kept["blob"]), kept["mode"])
