"""Where a file went that another program moved: known again by its content."""

from collections.abc import Iterable, Sequence

from recto.documents.journal import DocumentJournal
from recto.documents.journal_replay import BaseContent, replay
from recto.documents.words import unit_of
from recto.workspace import Workspace, WorkspaceFailure, content_hash


class MovedFiles:
    """Looks for files that are gone. One that is not found is looked for among other names only."""

    def __init__(self, workspace: Workspace, journal: DocumentJournal) -> None:
        self._workspace = workspace
        self._journal = journal
        self._sought: dict[str, int] = {}

    async def find(self, path: str) -> str | None:
        """The one new file with the content that a file had last; with its name, if it is several.

        New is a file that nobody edited here. Raises what reading raises.
        """
        names = (await self._workspace.file_names(refresh=True)).paths
        seen = hash(names)
        # Reading every file of that size again is no use while no name has changed.
        if self._sought.get(path) == seen:
            return None
        base = await self._last_content(path)
        found = [] if base is None else await self._same(base, set(names) - {path})
        if len(found) > 1:
            found = [item for item in found if name_of(item) == name_of(path)]
        if len(found) != 1:
            self._sought[path] = seen
            return None
        return found[0]

    async def _last_content(self, path: str) -> BaseContent | None:
        entries = await self._journal.read(path)
        known = replay(entries, "", unit_of(path)) if entries else None
        return None if known is None else known.base

    async def _same(self, base: BaseContent, paths: Iterable[str]) -> list[str]:
        data = base.shape.write(base.text)
        found: list[str] = []
        # Sizes come with the listing; only files of the same size are read.
        for path in await self._with_size(len(data), paths):
            is_same = await self._hash_of(path, len(data)) == base.hash
            # One with a journal was there before: it is a copy, not where this one went.
            if is_same and not await self._journal.read(path):
                found.append(path)
        return found

    async def _with_size(self, size: int, paths: Iterable[str]) -> Sequence[str]:
        wanted = set(paths)
        found: list[str] = []
        for folder in sorted({path.rpartition("/")[0] for path in wanted}):
            entries = await self._workspace.list_folder(folder)
            found += [
                entry.path for entry in entries if entry.path in wanted and entry.size == size
            ]
        return found

    async def _hash_of(self, path: str, size: int) -> str | None:
        try:
            return content_hash(await self._workspace.read_bytes(path, max_bytes=size))
        except WorkspaceFailure:
            return None  # it changed or went meanwhile: another one


def name_of(path: str) -> str:
    """The name of a file without its folder."""
    return path.rpartition("/")[2]
