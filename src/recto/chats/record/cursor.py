"""Where a replay is in its record: which answer comes next, and which ids were drawn for what."""

from typing import NoReturn

from recto.chats.record.recorded_run import RecordedRun, RecordedTry
from recto.chats.record.run_items import RunDifference
from recto.messages import Failure
from recto.storage import Storage


class ReplayDiffers(Exception):
    """Something is not as it was; the replay ends here."""

    def __init__(self, difference: RunDifference) -> None:
        super().__init__(difference.words)
        self.difference = difference


class RecordEnded(Exception):
    """Up to here all was as recorded; what follows was never finished."""


class RecordCursor:
    """Which answer of the record comes next. Also draws the ids that are known from it."""

    def __init__(self, recorded: RecordedRun, scratch: Storage) -> None:
        self.recorded = recorded
        self.step = 0
        self.cut_at: int | None = None
        """The last event that counts, once the replay could not go on."""
        self._scratch = scratch
        self._tries = 0

    def new(self) -> str:
        """The id of the next step's request: drawing it begins the step."""
        self.step += 1
        self._tries = 0
        step = self.recorded.steps.get(self.step)
        return step.request_id if step else ""

    def secret(self) -> str:
        """A replay needs no secret."""
        raise RuntimeError("A replay draws no secret.")

    async def next_try(self) -> tuple[int, RecordedTry | None]:
        """The number of the next request in its step, and what the record has of it.

        None when it was never sent: the budget refused it. Raises RecordEnded.
        """
        step = self.recorded.steps.get(self.step)
        if step is None:
            await self.stop(RecordEnded())
        assert step is not None
        if not self._tries:
            await self._have_said_meanwhile()
        self._tries += 1
        found = step.tries[self._tries - 1] if self._tries <= len(step.tries) else None
        if found is not None and (found.row is None or found.row.spend.outcome == "cancelled"):
            await self.stop(RecordEnded())
        return self._tries, found

    def failure(self, number: int) -> Failure | None:
        """What a request failed with; of one that was tried again only the kind is known."""
        step = self.recorded.steps[self.step]
        if number >= len(step.tries):
            return step.failure
        row = step.tries[number - 1].row
        kind = row.spend.body.get("failure") if row else None
        return Failure(kind, "It was tried again.") if kind else None

    async def stop(self, reason: "ReplayDiffers | RecordEnded") -> NoReturn:
        """End the replay here. What the turn tells of that does not count."""
        if self.cut_at is None:
            self.cut_at = await self._scratch.events.latest(self.recorded.chat.id)
        raise reason

    async def _have_said_meanwhile(self) -> None:
        """What was said while this step ran waits now, as it did then."""
        async with self._scratch.write() as write:
            for run in self.recorded.joined.get(self.step, ()):
                await self._scratch.runs.add(
                    write, id=run.id, chat_id=run.chat_id, state="queued", body=run.body
                )


class EntryIds:
    """The ids that entries of a run have, in order; then made-up ones."""

    def __init__(self, recorded: RecordedRun) -> None:
        self._left = [
            event.body["id"]
            for event in reversed(recorded.events)
            if event.kind == "entry" and event.seq > recorded.began
        ]
        self._made_up = 0

    def new(self) -> str:
        """The next id."""
        if self._left:
            return self._left.pop()
        self._made_up += 1
        return f"not-recorded-{self._made_up}"

    def secret(self) -> str:
        """A replay needs no secret."""
        raise RuntimeError("A replay draws no secret.")
