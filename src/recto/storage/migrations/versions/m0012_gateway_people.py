"""The gateway's people: accounts, invitations, keys, sign-ins, and what their limits count."""

import sqlalchemy as sa
from alembic import op

revision = "m0012"
down_revision = "m0011"


def upgrade() -> None:
    """Make the tables."""
    make_accounts()
    make_invitations()
    make_api_keys()
    make_sign_ins()
    make_session_tokens()
    make_provider_sign_ins()
    make_request_rates()
    make_open_streams()


def make_accounts() -> None:
    """The table of accounts."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("is_disabled", sa.Boolean(), nullable=False),
        sa.Column("limits", sa.JSON(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.UniqueConstraint("name", name=op.f("uq_accounts_name")),
        sa.UniqueConstraint("subject", name=op.f("uq_accounts_subject")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
    )


def make_invitations() -> None:
    """The table of invitations."""
    op.create_table(
        "invitations",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_invitations_account_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_invitations")),
    )
    op.create_index("ix_invitations_account_id", "invitations", ["account_id"], unique=False)


def make_api_keys() -> None:
    """The table of api keys."""
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=False),
        sa.Column("doors", sa.JSON(), nullable=True),
        sa.Column("limits", sa.JSON(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=True),
        sa.Column("revoked_ms", sa.BigInteger(), nullable=True),
        sa.Column("last_used_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_api_keys_account_id"), ondelete="CASCADE"
        ),
        sa.UniqueConstraint("hash", name=op.f("uq_api_keys_hash")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
    )
    op.create_index("ix_api_keys_account_id", "api_keys", ["account_id"], unique=False)


def make_sign_ins() -> None:
    """The table of sign ins."""
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_sign_ins_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_ins")),
    )
    op.create_index("ix_sign_ins_account_id", "sign_ins", ["account_id"], unique=False)
    op.create_index("ix_sign_ins_expires_ms", "sign_ins", ["expires_ms"], unique=False)


def make_session_tokens() -> None:
    """The table of session tokens."""
    op.create_table(
        "session_tokens",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("sign_in_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("used_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["sign_in_id"],
            ["sign_ins.id"],
            name=op.f("fk_session_tokens_sign_in_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_session_tokens")),
    )
    op.create_index("ix_session_tokens_expires_ms", "session_tokens", ["expires_ms"], unique=False)
    op.create_index("ix_session_tokens_sign_in_id", "session_tokens", ["sign_in_id"], unique=False)


def make_provider_sign_ins() -> None:
    """The table of provider sign ins."""
    op.create_table(
        "provider_sign_ins",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("verifier", sa.Text(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_provider_sign_ins")),
    )


def make_request_rates() -> None:
    """The table of request rates."""
    op.create_table(
        "request_rates",
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("second", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "second", name=op.f("pk_request_rates")),
    )
    op.create_index("ix_request_rates_second", "request_rates", ["second"], unique=False)


def make_open_streams() -> None:
    """The table of open streams."""
    op.create_table(
        "open_streams",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=True),
        sa.Column("worker", sa.BigInteger(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_open_streams")),
    )
    op.create_index("ix_open_streams_account_id", "open_streams", ["account_id"], unique=False)
    op.create_index("ix_open_streams_key_id", "open_streams", ["key_id"], unique=False)
