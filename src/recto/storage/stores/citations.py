"""What is known of cited works, and the citations that could not be verified. Nobody is told."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, or_, select

from recto.storage.driver_errors import RecordName
from recto.storage.tables.library import citation_marks, record_checks
from recto.storage.transactions import Transactions, WriteTransaction


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """What services of record said of a work."""

    work: str
    """The hash of what a reference says of it."""
    body: dict[str, Any]
    at_ms: int


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A citation that stood in an edit, and could not be verified."""

    id: str
    project_id: str
    path: str
    body: dict[str, Any]
    at_ms: int


class CitationStore:
    """Checks by the work that they are about, marks by the document that they are in."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def checks(self, project_id: str, works: Collection[str]) -> dict[str, RecordCheck]:
        """What is known of these works."""
        wanted, found = sorted(works), dict[str, RecordCheck]()
        async with self._transactions.read(None) as view:
            for start in range(0, len(wanted), AT_ONCE):
                here = record_checks.c.work.in_(wanted[start : start + AT_ONCE])
                query = select(record_checks).where(record_checks.c.project_id == project_id, here)
                for row in await view.execute(query):
                    found[row.work] = RecordCheck(row.work, dict(row.body), row.at_ms)
        return found

    async def put_check(
        self, write: WriteTransaction, project_id: str, work: str, body: dict[str, Any]
    ) -> None:
        """Keep what services said of a work, in place of what they said before.

        Raises:
            RecordNotFound: there is no such project.
        """
        here = (record_checks.c.project_id == project_id, record_checks.c.work == work)
        await write.execute(delete(record_checks).where(*here))
        values = {"project_id": project_id, "work": work, "body": body, "at_ms": write.now_ms}
        named, parent = RecordName("check", work), RecordName("project", project_id)
        await write.insert(record_checks, values, named=named, parent=parent)

    async def add_marks(self, write: WriteTransaction, marks: Sequence[CitationMark]) -> None:
        """Keep citations that could not be verified."""
        rows = [{field: getattr(mark, field) for field in CitationMark.__slots__} for mark in marks]
        if rows:
            await write.insert_all(citation_marks, rows)

    async def marks(self, project_id: str, path: str) -> tuple[CitationMark, ...]:
        """Those of a document, the oldest first."""
        here = (citation_marks.c.project_id == project_id, citation_marks.c.path == path)
        query = select(citation_marks).where(*here).order_by(citation_marks.c.id)
        async with self._transactions.read(None) as view:
            return tuple(CitationMark(*row) for row in await view.execute(query))

    async def move(
        self, write: WriteTransaction, project_id: str, path: str, new_path: str
    ) -> None:
        """A file, or a folder with all that is in it, has another path now."""
        below = citation_marks.c.path.startswith(f"{path}/", autoescape=True)
        here = (
            citation_marks.c.project_id == project_id,
            or_(citation_marks.c.path == path, below),
        )
        for row in (await write.execute(select(citation_marks).where(*here))).all():
            # SQLite finds the folder in whatever case it is written.
            if row.path.startswith(path):
                moved = new_path + row.path[len(path) :]
                await write.execute(
                    citation_marks.update().where(citation_marks.c.id == row.id).values(path=moved)
                )


AT_ONCE = 500
