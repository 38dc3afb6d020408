"""The JSON about models, keys, the budget and what was used. Money is in whole micro-dollars."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints

from recto.access import ThinkingLevel
from recto.server.schemas.base import Body, Schema

KeyName = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")]
Month = Annotated[str, StringConstraints(pattern=r"^(19|20)\d{2}-(0[1-9]|1[0-2])$")]
Dollars = Annotated[str, StringConstraints(pattern=r"^\d{1,7}(\.\d{1,6})?$")]


class ModelPrice(Schema):
    """Dollars per million tokens, for a prompt of ordinary length."""

    input: float
    output: float
    cache_read: float
    cache_write: float


class Model(Schema):
    """A model that can be chosen. A price of null is unknown, not free."""

    id: str
    name: str
    provider: str
    provider_name: str
    model: str
    missing_key: str | None
    window: int
    max_output: int
    price: ModelPrice | None
    is_free: bool
    note: str
    retires: date | None
    successor: str | None
    thinking_levels: list[ThinkingLevel]
    thinking: ThinkingLevel | None
    usual_thinking: ThinkingLevel | None
    has_tools: bool
    """Whether it can read and change files by itself."""
    transforms: list[str] | None
    """The quick transforms it does well enough; null: all, it was not measured."""


class ModelList(Schema):
    """The models, the one the user chose, and the one that would answer now.

    For a project, as its folder's own file chooses and names them; `folderProblem` says why that
    file can't be followed.
    """

    default: str | None
    current: str | None
    items: list[Model]
    folder_default: str | None
    folder_problem: str | None


class ModelChoice(Body):
    """The model for new chats; null leaves it to Recto."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=400)] | None


class ModelThinking(Schema):
    """How hard a model thinks; null is as it does by itself."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=400)]
    thinking: ThinkingLevel | None


class GoneModel(Schema):
    """A model its provider no longer has, and what came after it."""

    id: str
    successor: str | None


class ProviderCheck(Schema):
    """What a provider said when it was asked for its models."""

    provider: str
    provider_name: str
    ok: bool
    detail: str
    gone: list[GoneModel]


class ModelCheck(Schema):
    """What every provider said."""

    items: list[ProviderCheck]


class Provider(Schema):
    """A provider, and where its key comes from; never the key."""

    id: str
    name: str
    key_name: str | None
    key_source: Literal["environment", "keys.env"] | None
    url: str
    is_local: bool


class ProviderList(Schema):
    """Every provider that could be used."""

    items: list[Provider]
    search_services: list[Provider]
    """Those that find papers and pages, for which a key may be set."""


class NewKey(Body):
    """A key to keep. It is never answered."""

    value: Annotated[SecretStr, Field(min_length=1, max_length=4096)]


class BudgetState(Schema):
    """The month's limit and what is left of it."""

    month: str
    monthly_limit_usd: str | None
    warn_at: float
    spent_micros: int
    held_micros: int
    unpriced_requests: int
    is_warning: bool
    is_stopped: bool


class BudgetUpdate(Body):
    """Another limit; null means none."""

    resource = BudgetState

    monthly_limit_usd: Dollars | None
    warn_at: Annotated[float, Field(gt=0, le=1)]


class UsageRow(Schema):
    """Some requests together. `unpriced` counts those whose price nobody knows."""

    id: str
    name: str
    requests: int
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost_micros: int
    unpriced: int


class ModelCost(Schema):
    """What one model cost."""

    model: str
    cost_micros: int


class UsageDay(Schema):
    """One day."""

    date: date
    cost_micros: int
    unpriced: int
    requests: int
    models: list[ModelCost]


class UsageReport(Schema):
    """A month, seen from every side."""

    month: str
    months: list[str]
    days: list[UsageDay]
    models: list[UsageRow]
    features: list[UsageRow]
    projects: list[UsageRow]
    chats: list[UsageRow]
    totals: UsageRow
    cache_saved_micros: int
