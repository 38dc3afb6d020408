"""Where a file went that another program moved: known again by its content."""

from collections.abc import Iterable, Sequence

from recto.documents.journal import Journal
from recto.documents.replaying import Base, replay
from recto.documents.words import unit_of
from recto.workspace import Workspace, WorkspaceFailure, content_hash


class Moves:
    """Looks for files that are gone. One that is not found is looked for among other names only."""

    def __init__(self, workspace: Workspace, journal: Journal) -> None:
        self._workspace = workspace
        self._journal = journal
        self._sought: dict[str, int] = {}

    async def find(self, path: str) -> str | None:
        """The one new file with the content that a file had last; with its name, if it is several.

        New is a file that nobody edited here. Raises what reading raises.
        """
        names = (await self._workspace.file_names(refresh=True)).paths
        seen = hash(names)
        if self._sought.get(path) == seen:
            return None
        base = await self._last_content(path)
        found = [] if base is None else await self._same(base, set(names) - {path})
        if len(found) > 1:
            found = [one for one in found if name_of(one) == name_of(path)]
        if len(found) != 1:
            self._sought[path] = seen
            return None
        return found[0]

    async def _last_content(self, path: str) -> Base | None:
        entries = await self._journal.read(path)
        known = replay(entries, "", unit_of(path)) if entries else None
        return None if known is None else known.base

    async def _same(self, base: Base, paths: Iterable[str]) -> list[str]:
        data = base.shape.write(base.text)
        found: list[str] = []
        for path in await self._with_size(len(data), paths):
            is_same = await self._hash_of(path, len(data)) == base.hash
            if is_same and not await self._journal.read(path):
                found.append(path)
        return found

    async def _with_size(self, size: int, paths: Iterable[str]) -> Sequence[str]:
        wanted = set(paths)
        found: list[str] = []
        for folder in sorted({path.rpartition("/")[0] for path in wanted}):
            entries = await self._workspace.list_folder(folder)
            found += [one.path for one in entries if one.path in wanted and one.size == size]
        return found

    async def _hash_of(self, path: str, size: int) -> str | None:
        try:
            return content_hash(await self._workspace.read_bytes(path, max_bytes=size))
        except WorkspaceFailure:
            return None  # it changed or went meanwhile: another one


def name_of(path: str) -> str:
    """The name of a file without its folder."""
    return path.rpartition("/")[2]
