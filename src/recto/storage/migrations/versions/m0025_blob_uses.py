"""Who uses which bytes, and bytes that are stored as what is new in them."""

import re
from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "m0025"
down_revision = "m0024"

HASH = re.compile(r"\b[0-9a-f]{64}\b")
HANDLE = re.compile(r"\boutput:([0-9a-f]{16})\b")
RECORD_KINDS = ("exchange", "setting")
BATCH = 500
# Every place where a hash may stand: whose rows, the owner of the bytes, and where they stand.
PLACES = (
    ("entries", "chat", "chat_id", "CAST(body AS TEXT)", ""),
    ("runs", "chat", "chat_id", "CAST(body AS TEXT)", ""),
    ("chat_events", "chat", "chat_id", "CAST(body AS TEXT)", f"kind NOT IN {RECORD_KINDS}"),
    (
        "chat_events",
        "chat",
        "'record:' || run_id",
        "CAST(body AS TEXT)",
        f"run_id IS NOT NULL AND kind IN {RECORD_KINDS}",
    ),
    ("edits", "project", "project_id", "CAST(before AS TEXT) || ' ' || CAST(after AS TEXT)", ""),
)


def upgrade() -> None:
    """Add tables and columns, and note every use that there is."""
    op.add_column(
        "blobs", sa.Column("is_deflated", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("blobs", sa.Column("base", sa.Text(), nullable=True))
    for name in ("prefix", "suffix", "links", "chain_bytes"):
        number = sa.Column(name, sa.BigInteger(), nullable=False, server_default=sa.text("0"))
        op.add_column("blobs", number)
    op.create_index("ix_blobs_base", "blobs", ["base"])
    op.create_index("ix_runs_ended_ms", "runs", ["ended_ms", "id"])
    op.create_table(
        "blob_uses",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["hash"], ["blobs.hash"], name=op.f("fk_blob_uses_hash_blobs")),
        sa.PrimaryKeyConstraint("owner", "hash", name=op.f("pk_blob_uses")),
    )
    op.create_index("ix_blob_uses_hash", "blob_uses", ["hash"])
    op.create_table(
        "erasures",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_erasures")),
    )
    op.create_table(
        "keeping_marks",
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=False),
        sa.Column("until_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("rule", name=op.f("pk_keeping_marks")),
    )
    op.execute(
        "INSERT INTO erasures (owner, since_ms)"
        " SELECT id, deleted_ms FROM chats WHERE deleted_ms IS NOT NULL"
    )
    note_uses()


def note_uses() -> None:
    """Find every hash that a row names. Bytes that no row names belong to nobody, and stay."""
    connection = op.get_bind()
    sizes = {str(digest) for digest in connection.scalars(sa.text("SELECT hash FROM blobs"))}
    starts = {digest[:16]: digest for digest in sizes}
    uses = sa.table("blob_uses", sa.column("owner", sa.Text()), sa.column("hash", sa.Text()))
    noted: set[tuple[str, str]] = set()
    for owner, words in told_of():
        found = set(HASH.findall(words)) | {
            starts[start] for start in HANDLE.findall(words) if start in starts
        }
        noted |= {(owner, digest) for digest in found & sizes}
    rows = [{"owner": owner, "hash": digest} for owner, digest in sorted(noted)]
    for at in range(0, len(rows), BATCH):
        connection.execute(sa.insert(uses), rows[at : at + BATCH])


def told_of() -> Iterator[tuple[str, str]]:
    """The owner and the words of each row that may name a hash, a chat or a project at a time."""
    connection = op.get_bind()
    for table, kind, owner, words, where in PLACES:
        more = f" AND {where}" if where else ""
        query = sa.text(f"SELECT {owner}, {words} FROM {table} WHERE {kind}_id = :of{more}")
        for of in connection.scalars(sa.text(f"SELECT id FROM {kind}s")).all():
            for row in connection.execute(query, {"of": of}):
                yield str(row[0]), str(row[1])
