"""Full text of the chats. What was discarded in a chat is still found, a deleted chat is not.

Words are made here and only compared by the engine, so that both find the same. A long text is
kept in pieces, each found for itself: PostgreSQL counts the places of words only up to 16,383.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import TextClause, bindparam, delete, or_, select, text

from recto.messages import encodable
from recto.storage.driver_errors import RecordName
from recto.storage.records import SearchHit
from recto.storage.search_words import SearchTerm, snippet, terms, words
from recto.storage.tables import chat_search, chats, entries
from recto.storage.transactions import ReadTransaction, Transactions, WriteTransaction

PIECE_LENGTH = 10_000
LAST_SPACE_WITHIN = 200
OVERLAP = 40
MAX_HITS = 200
TITLE_SEQ = 0

# Built once: building a statement takes longer than running it.
FORGET = delete(chat_search).where(
    chat_search.c.chat_id == bindparam("chat"), chat_search.c.seq == bindparam("at")
)

SQLITE_MATCH = "chat_search.id IN (SELECT rowid FROM chat_words WHERE chat_words MATCH :wanted)"
POSTGRES_MATCH = "CAST(chat_search.words AS tsvector) @@ CAST(:wanted AS tsquery)"


class ChatSearch:
    """Texts of chats by the words in them."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def add(
        self, write: WriteTransaction, *, chat_id: str, seq: int, entry_id: str | None, text: str
    ) -> None:
        """Let an entry be found by its text; added again, the new text takes the old one's place.

        Raises:
            RecordNotFound: there is no such chat.
        """
        # Deleted and added, never updated: SQLite's index follows by triggers for just these two.
        await write.execute(FORGET, {"chat": chat_id, "at": seq})
        vector = _is_postgres(write)
        for number, piece in enumerate(_pieces(encodable(text).replace("\0", " "))):
            values = {
                "chat_id": chat_id,
                "seq": seq,
                "piece": number,
                "entry_id": entry_id,
                "text": piece,
                "words": _vector(piece) if vector else _line(piece),
            }
            named = RecordName("search entry", f"{chat_id} {seq}")
            await write.insert(chat_search, values, named=named, parent=RecordName("chat", chat_id))

    async def name(self, write: WriteTransaction, chat_id: str, title: str) -> None:
        """Let a chat be found by its title.

        Raises:
            RecordNotFound: there is no such chat.
        """
        await self.add(write, chat_id=chat_id, seq=TITLE_SEQ, entry_id=None, text=title)

    async def remove_chat(self, write: WriteTransaction, chat_id: str) -> None:
        """Forget the texts of a chat."""
        await write.execute(delete(chat_search).where(chat_search.c.chat_id == chat_id))

    async def find(
        self,
        project_id: str,
        query: str,
        limit: int = 50,
        *,
        within: WriteTransaction | None = None,
    ) -> tuple[SearchHit, ...]:
        """What a person looks for in a project's chats and the global ones, the latest first.

        Every word must be there, at least as a beginning; words in double quotes stand as they are.
        """
        looked_for = terms(query)
        if not looked_for:
            return ()
        async with self._transactions.read(within) as view:
            found = await view.execute(_query(view, project_id, looked_for, min(limit, MAX_HITS)))
            return tuple(_hit(row, looked_for) for row in found.mappings())


def _query(
    view: ReadTransaction, project_id: str, looked_for: Sequence[SearchTerm], limit: int
) -> Any:
    match = _postgres(looked_for) if _is_postgres(view) else _sqlite(looked_for)
    return (
        select(
            chats.c.id.label("chat_id"),
            chats.c.title,
            chat_search.c.seq,
            chat_search.c.entry_id,
            entries.c.kind,
            chat_search.c.text,
            chats.c.is_thread,
        )
        .join_from(chat_search, chats, chats.c.id == chat_search.c.chat_id)
        .outerjoin(
            entries,
            (entries.c.chat_id == chat_search.c.chat_id) & (entries.c.seq == chat_search.c.seq),
        )
        .where(
            match,
            or_(chats.c.project_id == project_id, chats.c.is_global),
            chats.c.deleted_ms.is_(None),
        )
        .order_by(chat_search.c.id.desc())
        .limit(limit)
    )


def _hit(row: Mapping[Any, Any], looked_for: Sequence[SearchTerm]) -> SearchHit:
    shown = snippet(row["text"], looked_for)
    return SearchHit(
        row["chat_id"],
        row["title"],
        row["seq"],
        row["entry_id"],
        row["kind"],
        shown.text,
        shown.ranges,
        row["is_thread"],
    )


def _is_postgres(view: ReadTransaction) -> bool:
    return view.connection.dialect.name == "postgresql"


def _sqlite(looked_for: Sequence[SearchTerm]) -> TextClause:
    phrases = (f'"{" ".join(term.words)}"{"*" if term.is_open else ""}' for term in looked_for)
    return text(SQLITE_MATCH).bindparams(wanted=" AND ".join(phrases))


def _postgres(looked_for: Sequence[SearchTerm]) -> TextClause:
    phrases = (
        "(" + " <-> ".join(f"'{word}'" for word in term.words) + (":*)" if term.is_open else ")")
        for term in looked_for
    )
    return text(POSTGRES_MATCH).bindparams(wanted=" & ".join(phrases))


def _line(piece: str) -> str:
    return " ".join(word.folded for word in words(piece))


def _vector(piece: str) -> str:
    return " ".join(f"'{word.folded}':{at}" for at, word in enumerate(words(piece), 1))


def _pieces(whole: str) -> Iterator[str]:
    start = 0
    while len(whole) - start > PIECE_LENGTH:
        end = start + PIECE_LENGTH
        space = whole.rfind(" ", end - LAST_SPACE_WITHIN, end)
        if space >= 0:
            yield whole[start:space]
            start = space
        else:
            # Scripts without spaces: what stands across the cut is whole in one of the two.
            yield whole[start:end]
            start = end - OVERLAP
    yield whole[start:]
