"""Which model, which key, at what cost: the gate of every model call.

`Resolver.resolve` finds a model, `Gate.stream` asks it within the budget.
"""

from recto.access.access import BUILTIN, Access, Offer, Resolver
from recto.access.budget import Budget, Hold, MonthStatus, Purpose, Refusal
from recto.access.catalogue import Catalogue, Family, KnownModel, Strategy, load_catalogue
from recto.access.credentials import Credentials, KeyStatus, fingerprint, load_credentials
from recto.access.gate import Completion, CountTokens, Gate, Mend, OnBooked, OnMended, Send
from recto.access.limits import (
    BudgetFile,
    Limits,
    dollars,
    load_budget,
    load_limits,
    month_bounds,
    month_of,
    save_limits,
)
from recto.access.metering import Bounds
from recto.access.models import (
    KeyElsewhere,
    KeyNotHere,
    ListModels,
    Models,
    NoSuchModel,
    ProviderCheck,
    ProviderState,
)
from recto.access.models_file import (
    ModelEntry,
    ModelsFile,
    PriceEntry,
    ProviderEntry,
    WorkspaceModels,
    load_models,
    read_workspace_models,
    save_models,
)
from recto.access.prices import FREE, Price, Prices, Rates, Tier, load_prices
from recto.access.retry import RetryPolicy
from recto.access.tokens import most_tokens
from recto.access.usage import Report, Sum, UsageReports
from recto.llm import Record

__all__ = [
    "BUILTIN",
    "FREE",
    "Access",
    "Bounds",
    "Budget",
    "BudgetFile",
    "Catalogue",
    "Completion",
    "CountTokens",
    "Credentials",
    "Family",
    "Gate",
    "Hold",
    "KeyElsewhere",
    "KeyNotHere",
    "KeyStatus",
    "KnownModel",
    "Limits",
    "ListModels",
    "Mend",
    "ModelEntry",
    "Models",
    "ModelsFile",
    "MonthStatus",
    "NoSuchModel",
    "Offer",
    "OnBooked",
    "OnMended",
    "Price",
    "PriceEntry",
    "Prices",
    "ProviderCheck",
    "ProviderEntry",
    "ProviderState",
    "Purpose",
    "Rates",
    "Record",
    "Refusal",
    "Report",
    "Resolver",
    "RetryPolicy",
    "Send",
    "Strategy",
    "Sum",
    "Tier",
    "UsageReports",
    "WorkspaceModels",
    "dollars",
    "fingerprint",
    "load_budget",
    "load_catalogue",
    "load_credentials",
    "load_limits",
    "load_models",
    "load_prices",
    "month_bounds",
    "month_of",
    "most_tokens",
    "read_workspace_models",
    "save_limits",
    "save_models",
]
