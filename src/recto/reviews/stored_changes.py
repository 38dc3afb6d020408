"""Changes to files as records keep them: paths, and states whose contents are blobs."""

from collections.abc import Sequence
from typing import Any

from recto.storage import JsonObject, Storage, WriteTransaction
from recto.tools import Change, Effect, FileState, Moved


async def kept_change(
    change: Change, write: WriteTransaction, storage: Storage, owners: Sequence[str]
) -> dict[str, Any]:
    """A change as the record tells it, its contents kept as blobs for as long as their owners."""
    if isinstance(change, Moved):
        return {"path": change.path, "new_path": change.new_path}
    return {
        "path": change.path,
        "before": await kept_state(change.before, write, storage, owners),
        "after": await kept_state(change.after, write, storage, owners),
    }


async def kept_state(
    state: FileState | None, write: WriteTransaction, storage: Storage, owners: Sequence[str]
) -> dict[str, Any] | None:
    """A path's state as the record tells it."""
    if state is None:
        return None
    digests = {await storage.blobs.put(write, state.data, owner) for owner in owners}
    return {"kind": state.kind, "mode": state.mode, "blob": digests.pop()}


async def read_change(kept: JsonObject, storage: Storage) -> Change:
    """A change that was kept."""
    if "new_path" in kept:
        return Moved(kept["path"], kept["new_path"])
    before, after = [await read_state(kept[name], storage) for name in ("before", "after")]
    return Effect(kept["path"], before, after)


async def read_state(kept: JsonObject | None, storage: Storage) -> FileState | None:
    """A path's state that was kept."""
    if not kept:
        return None
    return FileState(kept["kind"], await storage.blobs.get(kept["blob"]), kept["mode"])
