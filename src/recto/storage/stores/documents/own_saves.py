"""What people saved: the texts of a file before and after each stretch of their own writing."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, delete, or_, select, update

from recto.storage.failures import RecordNotFound
from recto.storage.save_records import OwnSave
from recto.storage.stores.blobs import Blobs, save_of
from recto.storage.stores.keeping import note_erasure
from recto.storage.tables import own_saves
from recto.storage.transactions import Transactions, WriteTransaction


class OwnSaveStore:
    """Own saves by id and path, the oldest first. Their bytes go with them."""

    def __init__(self, transactions: Transactions, blobs: Blobs) -> None:
        self._transactions = transactions
        self._blobs = blobs

    async def add(self, write: WriteTransaction, save: OwnSave, *, most: int) -> None:
        """Keep a save; of one file no more than `most`, the newest."""
        row = {field: getattr(save, field) for field in OwnSave.__slots__}
        await write.insert_all(own_saves, [row])
        known = await self.of_path(save.project_id, save.path, within=write)
        for old in known[:-most]:
            await self.remove(write, old)

    async def get(self, save_id: str, *, within: WriteTransaction | None = None) -> OwnSave:
        """The save with this id, or RecordNotFound."""
        found = await self._find(own_saves.c.id == save_id, within=within)
        if not found:
            raise RecordNotFound("saved text", save_id)
        return found[0]

    async def of_path(
        self, project_id: str, path: str, *, within: WriteTransaction | None = None
    ) -> tuple[OwnSave, ...]:
        """All saves of a file."""
        here = (own_saves.c.project_id == project_id, own_saves.c.path == path)
        return await self._find(*here, within=within)

    async def remove(self, write: WriteTransaction, save: OwnSave) -> None:
        """Forget a save at once, with the bytes that nobody else uses."""
        await write.execute(delete(own_saves).where(own_saves.c.id == save.id))
        while not await self._blobs.forget(write, save_of(save.project_id, save.id), 2):
            pass

    async def move(
        self, write: WriteTransaction, project_id: str, path: str, new_path: str
    ) -> None:
        """A file, or a folder with all that is in it, has another path now."""
        for save in await self._below(write, project_id, path):
            moved = new_path + save.path[len(path) :]
            known = own_saves.c.id == save.id
            await write.execute(update(own_saves).where(known).values(path=moved))

    async def erase(
        self, write: WriteTransaction, project_id: str, path: str, until_ms: int
    ) -> None:
        """Forget what was saved of a file, or of all in a folder, up to a time: it is gone."""
        for save in await self._below(write, project_id, path):
            if save.at_ms <= until_ms:
                await write.execute(delete(own_saves).where(own_saves.c.id == save.id))
                await note_erasure(write, save_of(project_id, save.id))

    async def _below(
        self, write: WriteTransaction, project_id: str, path: str
    ) -> Sequence[OwnSave]:
        below = own_saves.c.path.startswith(f"{path}/", autoescape=True)
        here = (own_saves.c.project_id == project_id, or_(own_saves.c.path == path, below))
        found = await self._find(*here, within=write)
        # SQLite finds the folder in whatever case it is written.
        return [save for save in found if save.path.startswith(path)]

    async def _find(
        self, *wanted: ColumnElement[bool], within: WriteTransaction | None = None
    ) -> tuple[OwnSave, ...]:
        query = select(own_saves).where(*wanted).order_by(own_saves.c.id)
        async with self._transactions.read(within) as view:
            return tuple(OwnSave(*row) for row in await view.execute(query))
