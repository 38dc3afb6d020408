"""What the routes of the people's API work with, handed in once by the composition root."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request

from recto.clock import Clock
from recto.config import Secret
from recto.gateway.caller import Callers
from recto.gateway.figures import GatewayFigures
from recto.gateway.kept_calls import KeptCalls
from recto.gateway.openid import OpenIdSignIns
from recto.gateway.people import People
from recto.gateway.problems import ApiProblem, ApiRefused
from recto.gateway.sign_ins import SignIns
from recto.gateway.usage import UsageBooks
from recto.storage import AccountRecord
from recto.supervisor import TaskHealth


@dataclass(frozen=True, slots=True)
class GatewayAddress:
    """Where people reach the gateway: what links begin with, and which origins are its own."""

    url: str
    origins: frozenset[str]
    cookie: str

    @property
    def is_encrypted(self) -> bool:
        """Whether browsers may send the cookies over TLS only."""
        return self.url.startswith("https://")


class MonthLimit(Protocol):
    """What all may spend in a month."""

    def month_micros(self) -> int | None:
        """The limit; None is none."""
        ...

    def change(self, month_micros: int | None) -> None:
        """Set another one. Raises ConfigFailure: the file it stands in can't be understood."""
        ...


@dataclass(frozen=True, slots=True)
class GatewayServices:
    """Everything behind the people's API, and what the doors need of it."""

    people: People
    sign_ins: SignIns
    usage: UsageBooks
    figures: GatewayFigures
    callers: Callers
    kept_calls: KeptCalls
    address: GatewayAddress
    operator: Secret
    """What the operator's commands on this machine prove themselves with."""
    clock: Clock
    limit: MonthLimit
    """What the whole gateway may spend."""
    is_ready: Callable[[], bool]
    openid: OpenIdSignIns | None = None
    tasks: Callable[[], tuple[TaskHealth, ...]] = tuple[TaskHealth, ...]
    """How the background work is."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who makes a request: somebody who is signed in, or the operator on this machine."""

    account: AccountRecord | None
    sign_in_id: str | None

    @property
    def is_admin(self) -> bool:
        """Whether they may change others' accounts."""
        return self.account is None or self.account.role == "admin"


def services_of(request: Request) -> GatewayServices:
    """The services of this application."""
    services: GatewayServices = request.app.state.services
    return services


def own_account(request: Request) -> AccountRecord:
    """The account of whoever is signed in. The operator's commands have none."""
    visitor: Visitor = request.state.visitor
    if visitor.account is None:
        raise ApiRefused(NO_ACCOUNT)
    return visitor.account


NO_ACCOUNT = ApiProblem(
    403, "No account", "This is about one's own account, and the operator's commands have none."
)
GatewayDependency = Annotated[GatewayServices, Depends(services_of)]
OwnAccount = Annotated[AccountRecord, Depends(own_account)]
