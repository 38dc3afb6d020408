"""What people have spent: from the totals that their limits are checked against, and the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo

from recto.access import month_of
from recto.clock import Clock
from recto.gateway.scopes import account_balance, account_month, key_balance, key_month
from recto.storage import AccountRecord, ApiKeyRecord, CallLimits, ModelUsage, Storage


@dataclass(frozen=True, slots=True)
class Spending:
    """What an account or a key has spent, and what is left. `held` is set aside for what runs."""

    month_micros: int
    held_micros: int
    unpriced_requests: int
    """How many requests of the month have no known price."""
    all_micros: int
    """Everything that was ever spent, with what is set aside."""
    balance_micros: int | None
    """What is left of the credit; None when there is no such limit."""


@dataclass(frozen=True, slots=True)
class AccountUsage:
    """What an account has used in a month."""

    month: str
    spending: Spending
    keys: Mapping[str, Spending]
    models: tuple[ModelUsage, ...]


class UsageBooks:
    """Reads what was spent, for people."""

    def __init__(self, storage: Storage, *, clock: Clock, zone: tzinfo) -> None:
        self._storage = storage
        self._clock = clock
        self._zone = zone

    @property
    def month(self) -> str:
        """This month."""
        return month_of(self._clock.now_ms(), self._zone)

    async def of_accounts(self, accounts: tuple[AccountRecord, ...]) -> dict[str, Spending]:
        """What each account has spent, by its id."""
        month = self.month
        return await self._spending(
            {
                one.id: (account_month(one.id, month), account_balance(one.id), one.limits)
                for one in accounts
            }
        )

    async def of_keys(self, keys: tuple[ApiKeyRecord, ...]) -> dict[str, Spending]:
        """What each key has spent, by its id."""
        month = self.month
        return await self._spending(
            {one.id: (key_month(one.id, month), key_balance(one.id), one.limits) for one in keys}
        )

    async def of_account(self, account: AccountRecord) -> AccountUsage:
        """What an account has used this month, by key and by model."""
        keys = await self._storage.api_keys.all(account.id)
        return AccountUsage(
            month=self.month,
            spending=(await self.of_accounts((account,)))[account.id],
            keys=await self.of_keys(keys),
            models=await self._storage.ledger.models_of(account_month(account.id, self.month)),
        )

    async def _spending(
        self, wanted: Mapping[str, tuple[str, str, CallLimits]]
    ) -> dict[str, Spending]:
        names = [name for month, whole, _ in wanted.values() for name in (month, whole)]
        found = await self._storage.ledger.spending(names)
        return {
            id: Spending(
                month_micros=found[month].charged_micros,
                held_micros=found[month].held_micros,
                unpriced_requests=found[month].unpriced_rows,
                all_micros=found[whole].charged_micros + found[whole].held_micros,
                balance_micros=None
                if limits.credit_micros is None
                else limits.credit_micros - found[whole].charged_micros - found[whole].held_micros,
            )
            for id, (month, whole, limits) in wanted.items()
        }
