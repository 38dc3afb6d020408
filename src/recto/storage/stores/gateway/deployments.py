"""What calls have told of the deployments of models, shared by every process."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy import func, insert, select, update

from recto.storage.tables.leases import deployment_states
from recto.storage.transactions import Transactions, WriteTransaction

TRIAL_MS = 60_000
"""How long one call may try a deployment before another may."""


@dataclass(frozen=True, slots=True)
class DeploymentRecord:
    """What is known of one deployment. Fields stand in the order of the table's columns."""

    id: str
    failures: int = 0
    in_a_row: int = 0
    rests_until_ms: int = 0
    full_until_ms: int = 0
    """Its provider has said that it takes no more until then."""
    tried_until_ms: int = 0
    last: dict[str, Any] | None = None
    """How it failed last."""
    version: int = 0


class DeploymentStore:
    """States by the deployment's id; each change has a number."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def get(
        self, write: WriteTransaction, ids: Collection[str]
    ) -> dict[str, DeploymentRecord]:
        """Those that are known."""
        query = select(deployment_states).where(deployment_states.c.id.in_(sorted(ids)))
        return {row[0]: DeploymentRecord(*row) for row in await write.execute(query)}

    async def put(self, write: WriteTransaction, records: Sequence[DeploymentRecord]) -> None:
        """Write some, each in the place of what was known before."""
        query = select(func.coalesce(func.max(deployment_states.c.version), 0))
        version = int((await write.execute(query)).scalar_one())
        known = await self.get(write, [record.id for record in records])
        for number, record in enumerate(sorted(records, key=lambda one: one.id), version + 1):
            values = {field.name: getattr(record, field.name) for field in fields(record)}
            values["version"] = number
            if record.id in known:
                same = deployment_states.c.id == record.id
                await write.execute(update(deployment_states).where(same).values(**values))
            else:
                await write.execute(insert(deployment_states).values(**values))

    async def since(self, version: int) -> tuple[DeploymentRecord, ...]:
        """What has changed after a number, in order."""
        query = select(deployment_states).where(deployment_states.c.version > version)
        async with self._transactions.read() as view:
            rows = await view.execute(query.order_by(deployment_states.c.version))
            return tuple(DeploymentRecord(*row) for row in rows)

    async def claim_trial(self, write: WriteTransaction, id: str) -> bool:
        """Whether this call is the one that tries a deployment after its rest."""
        found = (await self.get(write, [id])).get(id, DeploymentRecord(id))
        now = write.now_ms
        if found.rests_until_ms > now or found.tried_until_ms > now:
            return False
        await self.put(write, [replace(found, tried_until_ms=now + TRIAL_MS)])
        return True
