"""Contexts: named groups of files of a project, and how many tokens they are now."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from recto.clock import Clock, Ids
from recto.colours import colour_of
from recto.projects.file_counts import FileCounts, refuse_all_but_files
from recto.storage import Context, RecordNotFound, Storage, WriteTransaction
from recto.tokenizer import Count
from recto.workspace import Workspace, WorkspaceFailure


@dataclass(frozen=True, slots=True)
class CountedContext:
    """A context with the tokens of its files; without, when the project's folder is not there."""

    context: Context
    tokens: int | None
    counted_ms: int | None
    missing: Sequence[str]


@dataclass(frozen=True, slots=True)
class ContextPage:
    """Some contexts, the newest first."""

    items: tuple[CountedContext, ...]
    next_cursor: str | None


class Contexts:
    """The contexts of every project."""

    def __init__(
        self,
        storage: Storage,
        counts: FileCounts,
        *,
        ids: Ids,
        clock: Clock,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        count_as: Callable[[Count, str], int],
    ) -> None:
        self._storage = storage
        self._counts = counts
        self._count_as = count_as
        self._ids = ids
        self._clock = clock
        self._open_workspace = open_workspace

    async def page(
        self, project_id: str, cursor: str | None, limit: int, model: str = ""
    ) -> ContextPage:
        """Some contexts of a project, the newest first, as `model` would count them."""
        await self._storage.projects.get(project_id)
        found = await self._storage.contexts.page(project_id, cursor, limit)
        counted = await self._counted(project_id, found.items, model)
        return ContextPage(tuple(counted), found.next_cursor)

    async def get(self, project_id: str, context_id: str) -> CountedContext:
        """One context of a project. Raises RecordNotFound, also for one of another project."""
        return await self._present(await self._find(project_id, context_id))

    async def add(
        self, project_id: str, name: str, files: Sequence[str], color: str | None
    ) -> CountedContext:
        """Keep files under a name. Raises PathRefused for one that is not inside the folder."""
        kept = await self._accepted(project_id, files)
        async with self._storage.write() as write:
            context = await self._storage.contexts.add(
                write,
                id=self._ids.new(),
                project_id=project_id,
                name=name,
                files=kept,
                color=color or colour_of(name),
            )
        return await self._present(context)

    async def update(
        self,
        project_id: str,
        context_id: str,
        *,
        name: str,
        files: Sequence[str],
        color: str | None,
        version: int,
    ) -> CountedContext:
        """Change a context that the caller has seen in this version."""
        await self._find(project_id, context_id)
        kept = await self._accepted(project_id, files)
        async with self._storage.write() as write:
            context = await self._storage.contexts.update(
                write,
                context_id,
                name=name,
                files=kept,
                color=color or colour_of(name),
                expected_version=version,
            )
        return await self._present(context)

    async def remove(self, project_id: str, context_id: str) -> None:
        """Forget a context. Its files stay where they are."""
        await self._find(project_id, context_id)
        async with self._storage.write() as write:
            await self._storage.contexts.remove(write, context_id)

    async def follow_move(
        self, write: WriteTransaction, project_id: str, path: str, new_path: str
    ) -> None:
        """A file, or a folder, is called otherwise now, and so it is in every context."""
        page = await self._storage.contexts.page(project_id, within=write)
        while True:
            for context in page.items:
                await self._rename(write, context, path, new_path)
            if page.next_cursor is None:
                return
            page = await self._storage.contexts.page(project_id, page.next_cursor, within=write)

    async def _rename(
        self, write: WriteTransaction, context: Context, path: str, new_path: str
    ) -> None:
        files = [
            new_path + file[len(path) :] if file == path or file.startswith(f"{path}/") else file
            for file in context.files
        ]
        if tuple(files) != context.files:
            await self._storage.contexts.update(
                write,
                context.id,
                name=context.name,
                files=list(dict.fromkeys(files)),
                color=context.color,
                expected_version=context.version,
            )

    async def files_of(self, project_id: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The files of some contexts, there or not. Raises RecordNotFound."""
        return {item: (await self._find(project_id, item)).files for item in ids}

    async def _find(self, project_id: str, context_id: str) -> Context:
        context = await self._storage.contexts.get(context_id)
        if context.project_id != project_id:
            raise RecordNotFound("context", context_id)
        return context

    async def _accepted(self, project_id: str, files: Sequence[str]) -> list[str]:
        """Each file once. One that is not there is accepted: it may come back."""
        workspace = await self._open_workspace(project_id)
        paths = list(dict.fromkeys(files))
        refuse_all_but_files(await workspace.identify(paths), paths)
        return paths

    async def _present(self, context: Context) -> CountedContext:
        (found,) = await self._counted(context.project_id, [context])
        return found

    async def _counted(
        self, project_id: str, contexts: Sequence[Context], model: str = ""
    ) -> list[CountedContext]:
        try:
            workspace = await self._open_workspace(project_id)
            paths = list(dict.fromkeys(path for context in contexts for path in context.files))
            found = await self._counts.of(workspace, paths)
        except WorkspaceFailure:  # the folder is not there now; its contexts are kept
            return [CountedContext(context, None, None, ()) for context in contexts]
        now, gone = self._clock.now_ms(), frozenset(found.missing)
        tokens = {path: self._count_as(count, model) for path, count in found.counts.items()}
        return [
            CountedContext(
                context=context,
                tokens=sum(tokens[path] for path in context.files if path in tokens),
                counted_ms=now,
                missing=[path for path in context.files if path in gone],
            )
            for context in contexts
        ]
