"""The folder as it will be while an undo is planned: nothing is touched, all is looked up once."""

from recto.tools import FileState, Moved
from recto.workspace import Workspace


class FolderLookup:
    """Paths as they are, each looked at once. Raises a WorkspaceFailure."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._states: dict[str, FileState | None] = {}

    async def state(self, path: str) -> FileState | None:
        """What is at a path."""
        if path not in self._states:
            self._states[path] = await self._workspace.state(path)
        return self._states[path]

    async def below(self, path: str) -> tuple[str, ...]:
        """A path and everything below it; none where nothing is."""
        if await self.state(path) is None:
            return ()
        return await self._workspace.paths_below(path)


class PlannedFolder:
    """Paths as the plan so far leaves them. Raises a WorkspaceFailure."""

    def __init__(self, seen: FolderLookup) -> None:
        self._seen = seen
        self._states: dict[str, FileState | None] = {}

    async def state(self, path: str) -> FileState | None:
        """What is at a path."""
        return self._states[path] if path in self._states else await self._seen.state(path)

    def put(self, path: str, state: FileState | None) -> None:
        """The plan changes a path."""
        self._states[path] = state

    async def move(self, moved: Moved) -> None:
        """The plan moves a path with all that is in it."""
        for path in await self.below(moved.path):
            state = await self.state(path)
            self.put(moved.new_path + path[len(moved.path) :], state)
            self.put(path, None)

    async def below(self, path: str) -> list[str]:
        """A path and everything below it, as planned."""
        made = [key for key, state in self._states.items() if state and is_below(key, path)]
        # A path the plan does not know is as on disk; one it has put to None is gone.
        seen = [item for item in await self._seen.below(path) if self._states.get(item, True)]
        return sorted({*made, *seen})

    async def has_room(self, path: str) -> bool:
        """Whether the folder that a path lies in is there."""
        parent = path.rpartition("/")[0]
        found = await self.state(parent) if parent else None
        return not parent or (found is not None and found.kind == "folder")


def is_below(path: str, top: str) -> bool:
    """Whether a path is another one, or lies in it."""
    return path == top or path.startswith(f"{top}/")
