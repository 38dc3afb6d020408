"""The gateway's people as plain values. Fields stand in the order of their table's columns."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

AccountRole = Literal["admin", "member"]
TokenKind = Literal["access", "refresh"]


@dataclass(frozen=True, slots=True)
class CallLimits:
    """What an account or a key may do; None is no limit of its own."""

    credit_micros: int | None = None
    """All that was ever paid in. What is left of it is the balance."""
    monthly_micros: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    streams: int | None = None
    models: tuple[str, ...] | None = None
    model_map: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a client asks for, and what is served in its place."""

    def stored(self) -> dict[str, Any]:
        """The limits as JSON."""
        return asdict(self)

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> "CallLimits":
        """The limits that `stored` wrote."""
        values: dict[str, Any] = {**stored}
        models: list[str] | None = values["models"]
        values["models"] = None if models is None else tuple(models)
        return cls(**values)


@dataclass(frozen=True, slots=True)
class AccountRecord:
    """Somebody who may use the gateway. Without a password or subject nobody can sign in to it."""

    id: str
    name: str
    role: AccountRole
    password_hash: str | None
    subject: str | None
    """Who it is at the service that signs people in, with that service's own name."""
    is_disabled: bool
    limits: CallLimits
    created_ms: int
    keep_days: int | None = None
    """For how long its prompts and answers are kept; None: they are not."""


@dataclass(frozen=True, slots=True)
class KeptCall:
    """What is told of a call whose prompt and answer are kept, without them."""

    id: str
    account_id: str
    key_id: str | None
    door: str
    path: str
    model: str
    """As the client named it."""
    status: int
    created_ms: int
    until_ms: int
    asked_bytes: int
    answered_bytes: int
    is_cut: bool
    """The end of the answer is missing: the client left, or it was longer than is kept."""


@dataclass(frozen=True, slots=True)
class ApiKeyRecord:
    """A key for programs. The key itself was shown once."""

    id: str
    account_id: str
    name: str
    hash: str
    hint: str
    """Its last letters, to tell keys apart."""
    doors: tuple[str, ...] | None
    limits: CallLimits
    created_ms: int
    expires_ms: int | None
    revoked_ms: int | None
    last_used_ms: int | None


@dataclass(frozen=True, slots=True)
class SignInRecord:
    """Somebody signed in somewhere: the family of tokens that came of it."""

    id: str
    account_id: str
    created_ms: int
    expires_ms: int
    ended_ms: int | None


@dataclass(frozen=True, slots=True)
class SessionToken:
    """One token of a sign-in."""

    hash: str
    sign_in_id: str
    kind: TokenKind
    expires_ms: int
    used_ms: int | None


@dataclass(frozen=True, slots=True)
class ProviderSignIn:
    """Somebody was sent to another service to sign in."""

    hash: str
    nonce: str
    verifier: str
    expires_ms: int


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How much one subject may ask for in any minute; None is no limit."""

    subject: str
    requests: int | None
    tokens: int | None


@dataclass(frozen=True, slots=True)
class RateSlice:
    """Requests and tokens of one subject that are counted in a second before they are used."""

    subject: str
    second: int
    requests: int
    tokens: int


@dataclass(frozen=True, slots=True)
class RateRefusal:
    """A limit would be passed. `retry_after_s` is when it would not; None if it always would."""

    subject: str
    what: Literal["requests", "tokens"]
    limit: int
    retry_after_s: int | None
