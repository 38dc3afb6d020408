"""The texts of the chats, to be searched: a table, and each engine's own index over its words."""

import sqlalchemy as sa
from alembic import op

revision = "m0004"
down_revision = "m0003"

SQLITE = (
    "CREATE VIRTUAL TABLE chat_words USING fts5("
    "words, content='chat_search', content_rowid='id', tokenize='ascii')",
    "CREATE TRIGGER chat_search_added AFTER INSERT ON chat_search BEGIN "
    "INSERT INTO chat_words (rowid, words) VALUES (new.id, new.words); END",
    "CREATE TRIGGER chat_search_removed AFTER DELETE ON chat_search BEGIN "
    "INSERT INTO chat_words (chat_words, rowid, words) VALUES ('delete', old.id, old.words); END",
)
POSTGRES = ("CREATE INDEX ix_chat_search_words ON chat_search USING gin (CAST(words AS tsvector))",)


def upgrade() -> None:
    """Create everything: no chat was written before there was this."""
    op.create_table(
        "chat_search",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("piece", sa.BigInteger(), nullable=False),
        sa.Column("entry_id", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chat_id"], ["chats.id"], name=op.f("fk_chat_search_chat_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_search")),
        sa.UniqueConstraint("chat_id", "seq", "piece", name=op.f("uq_chat_search_chat_id")),
        sqlite_autoincrement=True,
    )
    for statement in SQLITE if op.get_bind().dialect.name == "sqlite" else POSTGRES:
        op.execute(statement)
