"""The JSON of the people's API: camelCase, times in milliseconds, money in micro-dollars."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from recto.gateway.caller import Door
from recto.gateway.sign_ins import SessionTokens
from recto.gateway.usage import AccountUsage, Spending
from recto.storage import AccountRecord, ApiKeyRecord, CallLimits

PersonName = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$"
    ),
]
ShortText = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
SecretText = Annotated[str, StringConstraints(max_length=2000)]
Micros = Annotated[int, Field(ge=0, le=10**13)]
Many = Annotated[int, Field(ge=0, le=10**12)]
Moment = Annotated[int, Field(ge=0, le=10**14)]
ModelNames = Annotated[list[ShortText], Field(max_length=500)]


class ApiSchema(BaseModel):
    """What every body shares."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, from_attributes=True, extra="forbid"
    )


class KeyLimitsBody(ApiSchema):
    """Limits that somebody sets on a key of their own; null is none of its own."""

    balance_micros: Micros | None = None
    monthly_micros: Micros | None = None
    requests_per_minute: Many | None = None
    tokens_per_minute: Many | None = None
    streams: Many | None = None
    models: ModelNames | None = None

    def limits(self, *, spent_micros: int = 0) -> CallLimits:
        """The limits that are meant, for whoever has spent so much already."""
        credit = None if self.balance_micros is None else self.balance_micros + spent_micros
        return CallLimits(
            credit_micros=credit,
            monthly_micros=self.monthly_micros,
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
            streams=self.streams,
            models=None if self.models is None else tuple(self.models),
        )


class LimitsBody(KeyLimitsBody):
    """Limits that an admin sets: also what is served in the place of what a client asks for."""

    model_map: dict[ShortText, ShortText] = Field(default_factory=dict[str, str], max_length=500)

    def limits(self, *, spent_micros: int = 0) -> CallLimits:
        """The limits that are meant."""
        found = KeyLimitsBody.limits(self, spent_micros=spent_micros)
        return replace(found, model_map=self.model_map)


class MonthLimitBody(ApiSchema):
    """What the whole gateway may spend in a month; null is no limit."""

    month_micros: Micros | None


class KeepingBody(ApiSchema):
    """For how many days somebody's prompts and answers are kept; null: they are not."""

    days: Annotated[int, Field(ge=1, le=3650)] | None


class InvitationBody(ApiSchema):
    """A person accepts an invitation."""

    code: SecretText
    password: SecretText
    as_cookie: bool = False


class SignInBody(ApiSchema):
    """A person signs in. With `asCookie` the tokens come as cookies, for pages."""

    name: PersonName
    password: SecretText
    as_cookie: bool = False


class RefreshBody(ApiSchema):
    """A refresh token; pages send it as their cookie."""

    refresh_token: SecretText | None = None


class NewPersonBody(ApiSchema):
    """An admin invites somebody."""

    name: PersonName
    role: Literal["admin", "member"] = "member"
    limits: LimitsBody = LimitsBody()


class PersonChangesBody(ApiSchema):
    """An admin changes an account; what is left out stays."""

    role: Literal["admin", "member"] | None = None
    is_disabled: bool | None = None
    limits: LimitsBody | None = None


class OwnKeyBody(ApiSchema):
    """A new key of one's own."""

    name: ShortText = ""
    doors: list[Door] | None = None
    expires_ms: Moment | None = None
    limits: KeyLimitsBody = KeyLimitsBody()


class NewKeyBody(OwnKeyBody):
    """A new key that an admin makes for somebody."""

    limits: LimitsBody = LimitsBody()  # pyright: ignore[reportIncompatibleVariableOverride] - read only


class LimitsView(ApiSchema):
    """Limits as they are; `balanceMicros` is what is left of the credit."""

    balance_micros: int | None
    monthly_micros: int | None
    requests_per_minute: int | None
    tokens_per_minute: int | None
    streams: int | None
    models: list[str] | None
    model_map: dict[str, str]

    @classmethod
    def of(cls, limits: CallLimits, spending: Spending) -> "LimitsView":
        """The limits of whoever has spent so much."""
        return cls(
            balance_micros=spending.balance_micros,
            monthly_micros=limits.monthly_micros,
            requests_per_minute=limits.requests_per_minute,
            tokens_per_minute=limits.tokens_per_minute,
            streams=limits.streams,
            models=None if limits.models is None else list(limits.models),
            model_map=dict(limits.model_map),
        )


class SpendingView(ApiSchema):
    """What was spent."""

    month_micros: int
    held_micros: int
    unpriced_requests: int
    all_micros: int
    balance_micros: int | None


class PersonView(ApiSchema):
    """An account, without anything that opens a door."""

    id: str
    name: str
    role: str
    is_disabled: bool
    can_sign_in: bool
    invitation_ends_ms: int | None
    """Until when a link lets somebody choose the password; None when there is no such link."""
    created_ms: int
    limits: LimitsView
    spending: SpendingView
    keep_days: int | None
    """For how long prompts and answers are kept; None: they are not."""

    @classmethod
    def of(
        cls, account: AccountRecord, spending: Spending, invitation_ends_ms: int | None = None
    ) -> "PersonView":
        """An account, and what it has spent."""
        return cls(
            id=account.id,
            name=account.name,
            role=account.role,
            is_disabled=account.is_disabled,
            can_sign_in=account.password_hash is not None or account.subject is not None,
            invitation_ends_ms=invitation_ends_ms,
            created_ms=account.created_ms,
            limits=LimitsView.of(account.limits, spending),
            spending=SpendingView.model_validate(spending),
            keep_days=account.keep_days,
        )


class InvitedView(ApiSchema):
    """Somebody was invited: the link is shown once."""

    person: PersonView
    link: str


class KeyView(ApiSchema):
    """A key, without the key."""

    id: str
    account_id: str
    name: str
    hint: str
    doors: list[str] | None
    created_ms: int
    expires_ms: int | None
    revoked_ms: int | None
    last_used_ms: int | None
    limits: LimitsView
    spending: SpendingView

    @classmethod
    def of(cls, key: ApiKeyRecord, spending: Spending) -> "KeyView":
        """A key, and what it has spent."""
        return cls(
            id=key.id,
            account_id=key.account_id,
            name=key.name,
            hint=key.hint,
            doors=None if key.doors is None else list(key.doors),
            created_ms=key.created_ms,
            expires_ms=key.expires_ms,
            revoked_ms=key.revoked_ms,
            last_used_ms=key.last_used_ms,
            limits=LimitsView.of(key.limits, spending),
            spending=SpendingView.model_validate(spending),
        )


class NewKeyView(ApiSchema):
    """A key that was just made: it is shown once."""

    key: KeyView
    secret: str


class TokensView(ApiSchema):
    """Somebody is signed in. Pages have the tokens as cookies, and are not told them here."""

    access_token: str | None
    refresh_token: str | None
    access_ends_ms: int
    refresh_ends_ms: int

    @classmethod
    def of(cls, tokens: SessionTokens, *, as_cookie: bool) -> "TokensView":
        """The tokens, or only when they end."""
        return cls(
            access_token=None if as_cookie else tokens.access,
            refresh_token=None if as_cookie else tokens.refresh,
            access_ends_ms=tokens.access_ends_ms,
            refresh_ends_ms=tokens.refresh_ends_ms,
        )


class ModelUsageView(ApiSchema):
    """What was used of one model."""

    provider: str
    model: str
    requests: int
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    cost_micros: int
    unpriced_rows: int


class UsageView(ApiSchema):
    """What an account has used this month."""

    month: str
    spending: SpendingView
    keys: dict[str, SpendingView]
    models: list[ModelUsageView]

    @classmethod
    def of(cls, usage: AccountUsage) -> "UsageView":
        """What was used, by key and by model."""
        return cls(
            month=usage.month,
            spending=SpendingView.model_validate(usage.spending),
            keys={id: SpendingView.model_validate(one) for id, one in usage.keys.items()},
            models=[ModelUsageView.model_validate(one) for one in usage.models],
        )


class KeptCallView(ApiSchema):
    """A call whose prompt and answer are kept."""

    id: str
    key_id: str | None
    door: str
    model: str
    status: int
    created_ms: int
    until_ms: int
    asked_bytes: int
    answered_bytes: int
    is_cut: bool
    """The end of the answer is missing."""


class SaidView(ApiSchema):
    """What somebody said: system, user, assistant, error; or a text as it was sent."""

    who: str
    text: str


class KeptWordsView(ApiSchema):
    """A call that was kept, to be read."""

    call: KeptCallView
    asked: list[SaidView]
    answered: list[SaidView]
