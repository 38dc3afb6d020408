"""A run as the record has it: what it stood on, what was sent and answered, what tools did."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from recto.chats.failures import ChatFailure
from recto.chats.history.codec import blob_hashes, decode, decode_result
from recto.chats.history.entries import Error, Result
from recto.chats.prompts.turn_input import input_of
from recto.chats.turns.snapshot import TurnSnapshot, read_snapshot
from recto.messages import Failure
from recto.storage import Chat, ChatEvent, LedgerRow, Run, Storage

BATCH = 1000


class NotReplayable(ChatFailure):
    """The record of a run is not enough to run it again."""


@dataclass(frozen=True, slots=True)
class RecordedTry:
    """One request and what came back for it."""

    request: bytes
    head: dict[str, Any]
    answer: bytes
    row: LedgerRow | None
    """What was booked for it; None when the program ended before that."""


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One answer: how it was asked for."""

    request_id: str
    tries: tuple[RecordedTry, ...]
    failure: Failure | None
    """What it failed with in the end."""


@dataclass(slots=True)
class RecordedCall:
    """One call of a tool."""

    name: str = ""
    arguments: dict[str, Any] | None = None
    """None for a call that never began."""
    changes: list[list[dict[str, Any]]] = field(default_factory=list[list[dict[str, Any]]])
    result: Result | None = None
    not_covered: str = ""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """Everything that is known of a run."""

    run: Run
    chat: Chat
    snapshot: TurnSnapshot
    from_seq: int
    """The last entry of the history that it began with."""
    began: int
    """The number of the event with which it began."""
    events: tuple[ChatEvent, ...]
    steps: dict[int, RecordedStep]
    calls: dict[tuple[int, str], list[RecordedCall]]
    joined: dict[int, list[Run]]
    """What people said to it, by the step after which it was taken in."""


async def load_recorded_run(storage: Storage, run_id: str) -> RecordedRun:
    """Read a run. Raises RecordNotFound, NotReplayable."""
    run = await storage.runs.get(run_id)
    purpose = input_of(run.body).purpose
    if purpose == "outside":
        raise NotReplayable("This run asked no model: another program did it.", "Choose a turn.")
    if purpose == "undo":
        raise NotReplayable("This run asked no model: it took changes back.", "Choose a turn.")
    events = of_the_turn(await storage.events.of_run(run_id))
    begun = next((event for event in events if event.kind == "setting"), None)
    if begun is None:
        raise NotReplayable("This run ended before it asked a model.", "Choose another one.")
    snapshot = await read_snapshot(storage, begun)
    return RecordedRun(
        run=run,
        chat=await storage.chats.get(run.chat_id),
        snapshot=snapshot,
        from_seq=begun.body["from_seq"],
        began=begun.seq,
        events=events,
        steps=await read_steps(storage, run, events),
        calls=await read_calls(storage, events),
        joined=await read_joined(storage, run, events),
    )


def of_the_turn(events: tuple[ChatEvent, ...]) -> tuple[ChatEvent, ...]:
    """The events up to the turn's end; what its proposals changed later is not part of it."""
    ends = [at for at, event in enumerate(events) if is_end(event)]
    return events[: ends[-1] + 1] if ends else events


def is_end(event: ChatEvent) -> bool:
    """Whether an event tells that its turn is over."""
    return event.kind == "turn" and event.body["state"] not in ("queued", "running")


async def read_steps(
    storage: Storage, run: Run, events: Sequence[ChatEvent]
) -> dict[int, RecordedStep]:
    """The answers of a run, by step."""
    rows = {row.spend.id: row for row in await booked(storage, run)}
    errors = await errors_of(storage, run, events)
    found: dict[int, RecordedStep] = {}
    for event in events:
        if event.kind != "exchange":
            continue
        body = event.body
        ids = [*body["booked"], *[None] * len(body["tries"])]
        tries = [
            RecordedTry(
                await storage.blobs.get(attempt["request"]),
                attempt["head"],
                await storage.blobs.get(attempt["answer"]),
                rows.get(row_id) if row_id else None,
            )
            for attempt, row_id in zip(body["tries"], ids, strict=False)
        ]
        failure = errors.get(body["step"])
        found[body["step"]] = RecordedStep(body["request_id"] or "", tuple(tries), failure)
    return found


async def booked(storage: Storage, run: Run) -> tuple[LedgerRow, ...]:
    """What was booked while a run was under way, its own among the others."""
    ended = run.ended_ms or max(event.created_ms for event in await storage.events.of_run(run.id))
    return await storage.ledger.between(run.created_ms, ended + 1)


async def errors_of(storage: Storage, run: Run, events: Sequence[ChatEvent]) -> dict[int, Failure]:
    """The failures that stand in the history, by the step that ended in them."""
    found: dict[int, Failure] = {}
    step = 0
    for event in events:
        if event.kind == "exchange":
            step = event.body["step"]
        if event.kind == "entry":
            entry = await storage.chats.entry(run.chat_id, event.body["id"])
            if entry.kind == "error":
                content = decode(entry.kind, entry.body, {})
                assert isinstance(content, Error)
                found[step] = content.failure
    return found


async def read_calls(
    storage: Storage, events: Sequence[ChatEvent]
) -> dict[tuple[int, str], list[RecordedCall]]:
    """The calls of a run, by step and id; those that share an id in order."""
    found: dict[tuple[int, str], list[RecordedCall]] = defaultdict(list)
    under_way: dict[str, RecordedCall] = {}
    for event in events:
        body = event.body
        if event.kind == "call_started":
            call = RecordedCall(body["name"], body["arguments"])
            under_way[body["call_id"]] = call
            found[body["step"], body["call_id"]].append(call)
        elif event.kind == "change":
            under_way[body["call_id"]].changes.append(body["changes"])
        elif event.kind == "call_ended":
            kept = body["result"]
            blobs = {
                blob_hash: await storage.blobs.get(blob_hash) for blob_hash in blob_hashes(kept)
            }
            result = decode_result(kept, blobs)
            call = under_way.pop(result.result.call_id, None)
            if call is None:
                call = RecordedCall(result.result.name)
                found[body["step"], result.result.call_id].append(call)
            call.result, call.not_covered = result, body["not_covered"]
    return dict(found)


async def read_joined(
    storage: Storage, run: Run, events: Sequence[ChatEvent]
) -> dict[int, list[Run]]:
    """What was said to a run while it ran, by the step after which it was taken in."""
    found: dict[int, list[Run]] = defaultdict(list)
    steps = [(event.seq, event.body["step"]) for event in events if event.kind == "exchange"]
    last = events[-1].seq
    at = events[0].seq
    while at < last and (batch := await storage.events.after(run.chat_id, at, BATCH)):
        at = batch[-1].seq
        for event in batch:
            if event.kind != "turn" or event.body["state"] != "joined" or event.seq > last:
                continue
            said = await storage.runs.get(event.body["turn_id"])
            if input_of(said.body).joins == run.id:
                before = [step for seq, step in steps if seq < event.seq]
                found[before[-1]].append(said)
    return dict(found)
