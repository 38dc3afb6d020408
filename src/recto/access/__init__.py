"""Which model, which key, at what cost: the gate of every model call.

`Resolver.resolve` finds a model, `ModelGate.stream` asks it within the budget.
"""

from recto.access.access import BUILTIN, Access, Offer, Resolver
from recto.access.affordable import BudgetRefusal
from recto.access.budget import (
    Budget,
    BudgetHold,
    CallBudget,
    MonthStatus,
    Purpose,
)
from recto.access.catalogue import Catalogue, Family, KnownModel, Strategy, load_catalogue
from recto.access.credentials import Credentials, KeyStatus, fingerprint, load_credentials
from recto.access.downloads import (
    DownloadState,
    FileRefused,
    LocalModels,
    ModelDownloads,
    NoSuchFile,
)
from recto.access.gate import (
    Completion,
    CountTokens,
    Mend,
    ModelGate,
    OnBooked,
    OnMended,
    RelaySend,
    Send,
)
from recto.access.gateway_account import GatewayAccount, GatewayAccountFile, GatewayOffer
from recto.access.gateway_models import (
    DeployedModel,
    DeployedModelEntry,
    Deployment,
    DeploymentEntry,
    GatewayModelsFile,
    deployed_models,
    load_gateway_file,
)
from recto.access.gateway_session import GatewayRefused, GatewaySession, gateway_address
from recto.access.leased_budget import BOOKS_CLOSED, LeasedBudget
from recto.access.leases import Markup
from recto.access.limits import (
    BudgetFile,
    SpendingLimits,
    SpendingScope,
    dollars,
    load_budget,
    load_limits,
    month_bounds,
    month_of,
    month_scope,
    save_limits,
)
from recto.access.local_models import ListedFile, LocalFile, load_file_list
from recto.access.models import (
    KeyElsewhere,
    KeyNotHere,
    ListModels,
    Models,
    NoSuchLevel,
    NoSuchModel,
    ProviderCheck,
    ProviderState,
    TryKey,
)
from recto.access.models_file import (
    ModelEntry,
    ModelsFile,
    PriceEntry,
    ProtocolId,
    ProviderEntry,
    ThinkingLevel,
    WorkspaceModels,
    load_models,
    read_workspace_models,
    save_models,
)
from recto.access.own_servers import (
    LookAt,
    NoSuchServer,
    OwnServer,
    ServedModel,
    ServerRefused,
    find_running,
)
from recto.access.prices import FREE, Price, Prices, Rates, Tier, flat_price, load_prices
from recto.access.retry import RetryPolicy
from recto.access.tokens import most_tokens
from recto.access.totals_check import TotalsCheck
from recto.access.usage import MonthlyUsage, UsageReports, UsageSum
from recto.access.usage_meter import TokenBounds
from recto.llm import AddressRefused, FoundServer, Record

__all__ = [
    "TotalsCheck",
    "BOOKS_CLOSED",
    "CallBudget",
    "LeasedBudget",
    "Markup",
    "DeployedModel",
    "DeployedModelEntry",
    "Deployment",
    "DeploymentEntry",
    "GatewayAccount",
    "GatewayAccountFile",
    "GatewayModelsFile",
    "GatewayOffer",
    "GatewayRefused",
    "GatewaySession",
    "gateway_address",
    "RelaySend",
    "deployed_models",
    "load_gateway_file",
    "BUILTIN",
    "FREE",
    "Access",
    "AddressRefused",
    "TokenBounds",
    "Budget",
    "BudgetFile",
    "Catalogue",
    "Completion",
    "CountTokens",
    "Credentials",
    "Family",
    "ModelDownloads",
    "DownloadState",
    "FileRefused",
    "FoundServer",
    "ModelGate",
    "BudgetHold",
    "KeyElsewhere",
    "KeyNotHere",
    "KeyStatus",
    "KnownModel",
    "SpendingLimits",
    "SpendingScope",
    "ListModels",
    "ListedFile",
    "LocalFile",
    "LocalModels",
    "LookAt",
    "Mend",
    "ModelEntry",
    "Models",
    "ModelsFile",
    "MonthStatus",
    "NoSuchFile",
    "NoSuchLevel",
    "NoSuchModel",
    "NoSuchServer",
    "Offer",
    "OnBooked",
    "OnMended",
    "OwnServer",
    "Price",
    "PriceEntry",
    "Prices",
    "ProtocolId",
    "ProviderCheck",
    "ProviderEntry",
    "ProviderState",
    "Purpose",
    "Rates",
    "Record",
    "BudgetRefusal",
    "MonthlyUsage",
    "Resolver",
    "RetryPolicy",
    "Send",
    "ServedModel",
    "ServerRefused",
    "Strategy",
    "UsageSum",
    "ThinkingLevel",
    "Tier",
    "TryKey",
    "UsageReports",
    "WorkspaceModels",
    "dollars",
    "find_running",
    "flat_price",
    "fingerprint",
    "load_budget",
    "load_catalogue",
    "load_credentials",
    "load_file_list",
    "load_limits",
    "load_models",
    "load_prices",
    "month_bounds",
    "month_of",
    "month_scope",
    "most_tokens",
    "read_workspace_models",
    "save_limits",
    "save_models",
]
