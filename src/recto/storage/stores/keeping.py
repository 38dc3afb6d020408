"""What is not kept for ever: deleted chats and projects are erased, old records taken away.

Each call does a little, in the transaction it is given, and says whether there is more: nobody has
to wait long for a turn to write.
"""

from collections.abc import Sequence

from sqlalchemy import (
    ColumnElement,
    Table,
    and_,
    collate,
    delete,
    exists,
    insert,
    literal,
    or_,
    select,
    text,
    update,
)

from recto.storage.stores.blobs import (
    RECORD,
    REPLACEMENT,
    SAVE,
    Blobs,
    record_of,
    replacement_of,
    save_of,
)
from recto.storage.tables import (
    changes,
    chat_events,
    chat_search,
    chats,
    entries,
    own_saves,
    proposals,
    runs,
)
from recto.storage.tables.blobs import blob_uses, blobs, erasures, keeping_marks
from recto.storage.transactions import Transactions, WriteTransaction

ROWS = 500
"""How much one transaction takes away."""
RUNS = 20
NOT_CHATS = (RECORD, REPLACEMENT, SAVE)
PIECES = ("text", "thinking", "call_output")
RECORDS = ("exchange", "setting", "draws")
MERGED_PAGES = 500
WORDS = "words"
"""The mark of an erasure whose words the search index still has."""
MERGE = "INSERT INTO chat_words (chat_words, rank) VALUES ('merge', :pages)"


class KeepingStore:
    """Takes away for good what nothing shows or needs any more."""

    def __init__(self, transactions: Transactions, blobs: Blobs) -> None:
        self._transactions = transactions
        self._blobs = blobs

    async def next_to_erase(self, before_ms: int) -> str | None:
        """What was deleted before a time and is still to be erased, the oldest first, if any.

        A chat has to wait until the turn in it, perhaps in another process, has ended.
        """
        running = exists().where(runs.c.chat_id == erasures.c.owner, runs.c.state == "running")
        due = select(erasures.c.owner).where(erasures.c.since_ms <= before_ms, ~running)
        oldest = due.order_by(erasures.c.since_ms, erasures.c.owner).limit(1)
        async with self._transactions.read() as view:
            return (await view.execute(oldest)).scalar_one_or_none()

    async def erase_some(self, write: WriteTransaction, owner: str) -> bool:
        """Erase a part of something that was deleted; whether that was the last.

        Of a chat its tombstone stays and, without words, its runs: the ledger names them.
        """
        if not owner.startswith(NOT_CHATS):
            await self._forget_records(write, owner)
            for table in (chat_events, entries, chat_search):
                if not await take_some(write, table, table.c.chat_id == owner):
                    return False
            await write.execute(delete(proposals).where(proposals.c.chat_id == owner))
            of_chat = update(runs).where(runs.c.chat_id == owner)
            await write.execute(of_chat.where(runs.c.state == "queued").values(state="removed"))
            await write.execute(of_chat.values(body={}))
            dead = (chats.c.id == owner, chats.c.deleted_ms.is_not(None))
            await write.execute(update(chats).where(*dead).values(title="", meta={}))
        if not await self._blobs.forget(write, owner, ROWS):
            return False
        await write.execute(delete(erasures).where(erasures.c.owner == owner))
        if not owner.startswith(NOT_CHATS):
            # With the last row: a program that ends here merges the index when it is back.
            await self._mark(write, WORDS, write.now_ms)
        return True

    async def has_words_to_merge(self) -> bool:
        """Whether something was erased since the search index last forgot words."""
        query = select(exists().where(keeping_marks.c.rule == WORDS))
        async with self._transactions.read() as view:
            return bool((await view.execute(query)).scalar_one())

    async def merge_words(self, write: WriteTransaction) -> bool:
        """Have the search index forget words of rows that are gone; whether it is done.

        SQLite keeps them beside a mark that they are gone, until the index is merged.
        """
        if write.connection.dialect.name == "sqlite":
            before = await self._index_writes(write)
            await write.execute(text(MERGE).bindparams(pages=-MERGED_PAGES))
            # SQLite's own rule: a step that changed less than two rows had nothing to merge.
            if await self._index_writes(write) - before >= 2:
                return False
        await write.execute(delete(keeping_marks).where(keeping_marks.c.rule == WORDS))
        return True

    async def drop_changes(self, write: WriteTransaction, before_ms: int) -> bool:
        """Take away changes that every page has heard of; whether those were all.

        The last one stays: numbers go on from it.
        """
        last = select(changes.c.seq).order_by(changes.c.seq.desc()).limit(1).scalar_subquery()
        old = select(changes.c.seq, changes.c.created_ms).order_by(changes.c.seq).limit(ROWS)
        found = [row.seq for row in await write.execute(old) if row.created_ms < before_ms]
        if found:
            gone = and_(changes.c.seq <= found[-1], changes.c.seq < last)
            await write.execute(delete(changes).where(gone))
        return len(found) < ROWS

    async def drop_pieces(self, write: WriteTransaction, before_ms: int) -> bool:
        """Take away the pieces in which old answers came; whether those were all.

        What they add up to stands in the history.
        """
        ended = await self._ended(write, "pieces", before_ms)
        for run_id, _ in ended:
            of_run = and_(chat_events.c.run_id == run_id, chat_events.c.kind.in_(PIECES))
            await write.execute(delete(chat_events).where(of_run))
        return await self._reached(write, "pieces", ended)

    async def drop_records(self, write: WriteTransaction, before_ms: int) -> bool:
        """Take away the exact requests and answers of old turns; whether those were all."""
        ended = await self._ended(write, "records", before_ms)
        for run_id, _ in ended:
            of_run = and_(chat_events.c.run_id == run_id, chat_events.c.kind.in_(RECORDS))
            await write.execute(delete(chat_events).where(of_run))
            while not await self._blobs.forget(write, record_of(run_id), ROWS):
                pass
        return await self._reached(write, "records", ended)

    async def drop_replacements(self, write: WriteTransaction, before_ms: int) -> bool:
        """Take away what takes old replacements in all files back; whether that was all."""
        old = (
            select(blob_uses.c.owner)
            .join(blobs, blobs.c.hash == blob_uses.c.hash)
            .where(*starting(write, REPLACEMENT), blobs.c.created_ms < before_ms)
            .limit(RUNS)
        )
        owners = list((await write.execute(old)).scalars())
        for owner in owners:
            while not await self._blobs.forget(write, owner, ROWS):
                pass
        return len(owners) < RUNS

    async def drop_own_saves(self, write: WriteTransaction, before_ms: int) -> bool:
        """Take away what people saved long ago; whether that was all."""
        old = own_saves.c.at_ms < before_ms
        query = select(own_saves.c.id, own_saves.c.project_id).where(old).limit(RUNS)
        found = (await write.execute(query)).all()
        for row in found:
            await write.execute(delete(own_saves).where(own_saves.c.id == row.id))
            while not await self._blobs.forget(write, save_of(row.project_id, row.id), ROWS):
                pass
        return len(found) < RUNS

    async def _ended(
        self, write: WriteTransaction, rule: str, before_ms: int
    ) -> Sequence[tuple[str, int]]:
        """Some runs that ended before a time, after those that the rule went through before."""
        query = select(keeping_marks.c.until_ms, keeping_marks.c.until_id)
        mark = (await write.execute(query.where(keeping_marks.c.rule == rule))).one_or_none()
        at_ms, at_id = (-1, "") if mark is None else (mark.until_ms, mark.until_id)
        # The time by itself, too: the index finds where to begin by it.
        after = and_(
            runs.c.ended_ms >= at_ms,
            or_(runs.c.ended_ms > at_ms, runs.c.id > at_id),
        )
        some = (
            select(runs.c.id, runs.c.ended_ms)
            .where(after, runs.c.ended_ms < before_ms)
            .order_by(runs.c.ended_ms, runs.c.id)
            .limit(RUNS)
        )
        return [(row.id, row.ended_ms) for row in await write.execute(some)]

    async def _reached(
        self, write: WriteTransaction, rule: str, ended: Sequence[tuple[str, int]]
    ) -> bool:
        if ended:
            await self._mark(write, rule, ended[-1][1], ended[-1][0])
        return len(ended) < RUNS

    async def _mark(
        self, write: WriteTransaction, rule: str, until_ms: int, until_id: str = ""
    ) -> None:
        until = {"rule": rule, "until_ms": until_ms, "until_id": until_id}
        await write.execute(delete(keeping_marks).where(keeping_marks.c.rule == rule))
        await write.insert_all(keeping_marks, [until])

    async def _forget_records(self, write: WriteTransaction, chat_id: str) -> None:
        """The records of a chat's runs are erased after it, each by itself."""
        known = select(erasures.c.owner)
        records = (RECORD + runs.c.id).label("owner")
        used = select(blob_uses.c.owner).where(blob_uses.c.owner == RECORD + runs.c.id)
        of_chat = select(records).where(
            runs.c.chat_id == chat_id, records.not_in(known), used.exists()
        )
        found = [
            {"owner": row.owner, "since_ms": write.now_ms} for row in await write.execute(of_chat)
        ]
        if found:
            await write.insert_all(erasures, found)

    async def _index_writes(self, write: WriteTransaction) -> int:
        return int((await write.execute(text("SELECT total_changes()"))).scalar_one())


def starting(
    write: WriteTransaction, start: str
) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """The owners whose names start like this: a range, which SQLite has an index for."""
    owner: ColumnElement[str] = blob_uses.c.owner
    if write.connection.dialect.name == "postgresql":
        # In the order of most languages a semicolon comes before the colon that it follows here.
        owner = collate(owner, "C")
    end = start[:-1] + chr(ord(start[-1]) + 1)
    return owner >= start, owner < end


async def take_some(write: WriteTransaction, table: Table, wanted: ColumnElement[bool]) -> bool:
    """Take away some rows; whether those were all."""
    key = [column for column in table.primary_key if column.name != "chat_id"]
    (number,) = key
    query = select(number).where(wanted).order_by(number).limit(ROWS)
    found = list((await write.execute(query)).scalars())
    if found:
        await write.execute(delete(table).where(wanted, number <= found[-1]))
    return len(found) < ROWS


async def note_erasure(write: WriteTransaction, owner: str) -> None:
    """Something was deleted, and is erased soon. Twice is the same."""
    known = select(erasures.c.owner).where(erasures.c.owner == owner)
    if (await write.execute(known)).one_or_none() is None:
        await write.execute(insert(erasures).values(owner=owner, since_ms=write.now_ms))


async def note_project_erasure(write: WriteTransaction, project_id: str) -> None:
    """A project goes, with its chats and their runs: what they alone use is erased soon."""
    await note_erasure(write, project_id)
    of_project = select(chats.c.id.label("owner")).where(chats.c.project_id == project_id)
    records = select((RECORD + runs.c.id).label("owner")).where(runs.c.chat_id.in_(of_project))
    replacements, saves = [
        select(blob_uses.c.owner).where(*starting(write, start))
        for start in (replacement_of(project_id, ""), save_of(project_id, ""))
    ]
    # By the store itself: a project of years has a hundred thousand turns, and all others wait.
    for found in (
        of_project.subquery(),
        records.subquery(),
        replacements.distinct().subquery(),
        saves.distinct().subquery(),
    ):
        new = select(found.c.owner, literal(write.now_ms)).where(
            found.c.owner.not_in(select(erasures.c.owner))
        )
        await write.execute(insert(erasures).from_select(["owner", "since_ms"], new))
