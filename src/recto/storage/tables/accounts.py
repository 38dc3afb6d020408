"""The tables of the gateway's people: accounts, keys, who is signed in, and their limits.

Of a password, key, token or link only a hash is kept; of calls nothing, unless it is switched on.
"""

from sqlalchemy import JSON, BigInteger, Boolean, Column, ForeignKey, Index, LargeBinary, Table

from recto.storage.tables.columns import PlainText, metadata


def of_account() -> Column[str]:
    """A column that has the rows go with their account."""
    return Column(
        "account_id", PlainText, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False
    )


accounts = Table(
    "accounts",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("name", PlainText, nullable=False, unique=True),
    Column("role", PlainText, nullable=False),
    Column("password_hash", PlainText),
    Column("subject", PlainText, unique=True),
    Column("is_disabled", Boolean, nullable=False),
    Column("limits", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("keep_days", BigInteger),
)

invitations = Table(
    "invitations",
    metadata,
    Column("hash", PlainText, primary_key=True),
    of_account(),
    Column("expires_ms", BigInteger, nullable=False),
    Index("ix_invitations_account_id", "account_id"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", PlainText, primary_key=True),
    of_account(),
    Column("name", PlainText, nullable=False),
    Column("hash", PlainText, nullable=False, unique=True),
    Column("hint", PlainText, nullable=False),
    Column("doors", JSON(none_as_null=True)),
    Column("limits", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger),
    Column("revoked_ms", BigInteger),
    Column("last_used_ms", BigInteger),
    Index("ix_api_keys_account_id", "account_id"),
)

# A sign-in is a family of tokens: each refresh token is used once, and makes the next.
sign_ins = Table(
    "sign_ins",
    metadata,
    Column("id", PlainText, primary_key=True),
    of_account(),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
    Index("ix_sign_ins_account_id", "account_id"),
    Index("ix_sign_ins_expires_ms", "expires_ms"),
)

session_tokens = Table(
    "session_tokens",
    metadata,
    Column("hash", PlainText, primary_key=True),
    Column("sign_in_id", PlainText, ForeignKey("sign_ins.id", ondelete="CASCADE"), nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("used_ms", BigInteger),
    Index("ix_session_tokens_sign_in_id", "sign_in_id"),
    Index("ix_session_tokens_expires_ms", "expires_ms"),
)

# Who was sent to another service to sign in, and is awaited back.
provider_sign_ins = Table(
    "provider_sign_ins",
    metadata,
    Column("hash", PlainText, primary_key=True),
    Column("nonce", PlainText, nullable=False),
    Column("verifier", PlainText, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
)

# What was asked for in each second of the last minute; older rows are deleted as new ones come.
request_rates = Table(
    "request_rates",
    metadata,
    Column("subject", PlainText, primary_key=True),
    Column("second", BigInteger, primary_key=True, autoincrement=False),
    Column("requests", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Index("ix_request_rates_second", "second"),
)

# What an account was answered, and what it had asked, while its keeping is switched on.
kept_calls = Table(
    "kept_calls",
    metadata,
    Column("id", PlainText, primary_key=True),
    of_account(),
    Column("key_id", PlainText),
    Column("door", PlainText, nullable=False),
    Column("path", PlainText, nullable=False),
    Column("model", PlainText, nullable=False),
    Column("status", BigInteger, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("until_ms", BigInteger, nullable=False),
    Column("asked_bytes", BigInteger, nullable=False),
    Column("answered_bytes", BigInteger, nullable=False),
    Column("is_cut", Boolean, nullable=False),
    Column("asked", LargeBinary, nullable=False),
    Column("answered", LargeBinary, nullable=False),
    Index("ix_kept_calls_account_id", "account_id", "id"),
    Index("ix_kept_calls_until_ms", "until_ms"),
)

# The streams that run, each with the process that has it: those of one that died do not count.
open_streams = Table(
    "open_streams",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("account_id", PlainText, nullable=False),
    Column("key_id", PlainText),
    Column("worker", BigInteger, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index("ix_open_streams_account_id", "account_id"),
    Index("ix_open_streams_key_id", "key_id"),
)
