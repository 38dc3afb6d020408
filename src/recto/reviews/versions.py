"""Versions: what each edit of a run, and each own save, left; to compare with and to go back to."""

from contextlib import suppress
from dataclasses import replace
from typing import Literal

from recto.documents import LiveDocument, ReadOnly
from recto.reviews.calls import lost
from recto.reviews.edits import PUT_BACK, Edits
from recto.reviews.failures import NoVersion, VersionNotText
from recto.reviews.own_saves import OwnSaves
from recto.reviews.review_status import characters_by_edit
from recto.reviews.stored_changes import read_state
from recto.storage import Edit
from recto.tools import FileState
from recto.workspace import NotRepresentable, PathNotFound, decode

Side = Literal["before", "after"]


class Versions:
    """The history of each file: what runs did, and what people saved."""

    def __init__(self, edits: Edits, saves: OwnSaves) -> None:
        self._edits = edits
        self.saves = saves
        self._storage = edits.storage

    async def list(self, project_id: str, path: str) -> tuple[Edit, ...]:
        """The edits of a file, the newest first. Raises a WorkspaceFailure for a bad path."""
        workspace = await self._edits.open_workspace(project_id)
        rows = await self._storage.edits.of_path(project_id, await workspace.real_path(path))
        return tuple(reversed(rows))

    async def texts(self, edit_id: str) -> tuple[str | None, str | None]:
        """The text before and after an edit; None where there was none. Raises PathNotFound."""
        edit = await self._storage.edits.get(edit_id)
        before, after = [
            text_of(await read_state(item, self._storage)) for item in (edit.before, edit.after)
        ]
        return before, after

    async def restore(self, edit_id: str, side: Side) -> None:
        """Make a file's text what it was before or after an edit, as an edit of the person's.

        Raises PathNotFound, NoVersion, and a WorkspaceFailure.
        """
        edit = await self._storage.edits.get(edit_id)
        state = await read_state(edit.before if side == "before" else edit.after, self._storage)
        if state is None:
            raise NoVersion(
                f"There was no file {side} this edit.", "Choose the other side, or another version."
            )
        text = text_of(state)
        if text is None:
            raise VersionNotText
        try:
            await self._restore(edit.project_id, edit.path, text, state)
        except PathNotFound:
            workspace = await self._edits.open_workspace(edit.project_id)
            await workspace.change(edit.path, None, state)

    async def restore_save(self, save_id: str, side: Side) -> None:
        """Make a file's text what it was before or after a save, as an edit of the person's.

        The file keeps its encoding. Raises RecordNotFound, and a WorkspaceFailure.
        """
        save = await self.saves.get(save_id)
        before, after = await self.saves.texts(save_id)
        text = before if side == "before" else after
        try:
            await self._restore(save.project_id, save.path, text)
        except PathNotFound:
            documents = await self._edits.open_documents(save.project_id)
            await documents.create(save.path, text.encode(), origin=PUT_BACK)

    async def _restore(
        self, project_id: str, path: str, text: str, state: FileState | None = None
    ) -> None:
        """Give a file that is there its old text and, if known, to the last byte its old form."""
        documents = await self._edits.open_documents(project_id)
        self.saves.end_stretch(project_id, path)
        async with documents.using(path) as live:
            if isinstance(live, ReadOnly):
                raise VersionNotText
            before = characters_by_edit(live)
            if state is None:
                await live.become(text, origin=PUT_BACK)
                await self._edits.settle(project_id, live, lost=lost(before, live))
                return
            with suppress(NotRepresentable):  # then only the file's old form can hold the text
                as_here = text if live.form is None else live.text_of(state.data)
                await live.become(as_here or text, origin=PUT_BACK, data=state.data)
            await self._restore_form(project_id, state, live)
            await self._edits.settle(project_id, live, lost=lost(before, live))

    async def _restore_form(self, project_id: str, state: FileState, live: LiveDocument) -> None:
        """The same text may have been written with another encoding, mark or line ends."""
        workspace = await self._edits.open_workspace(project_id)
        now = await workspace.state(live.path)
        if now is None or now.data == state.data:
            return
        await workspace.change(live.path, now, replace(now, data=state.data))
        await live.check_disk()


def text_of(state: FileState | None) -> str | None:
    """The text of a state, whatever its encoding; None for everything else."""
    found = decode(state.data) if state is not None and state.kind == "file" else None
    return None if found is None else found[0]
