"""After a crash: what a turn had done when the program died becomes part of the history.

Nothing is run again. Words that had come are kept, tools that had answered keep their answers, and
of a tool that had begun nobody knows the outcome: that is what it answers.
"""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import anyio

from recto.chats.history.archive import entry_events
from recto.chats.history.codec import blob_hashes, decode_result
from recto.chats.history.entries import (
    Assistant,
    CallState,
    ChatEntry,
    EntryContent,
    Error,
    Notice,
    Result,
    ToolResults,
)
from recto.chats.prompts.turn_input import input_of
from recto.chats.services import ChatServices
from recto.chats.turns import event_bodies
from recto.chats.turns.thread_announcements import announce_threads
from recto.chats.turns.wire_exchange import Exchange
from recto.messages import AssistantPart, Text, Thinking, ToolCall, ToolResult
from recto.storage import ChatEvent, NewEvent, Run, WriteTransaction

INTERRUPTED = "Recto ended while this ran. What there was is kept. Continue, or ask anew."
UNKNOWN = (
    "Recto ended while this tool ran. Whether it did its work is unknown; it was not run again."
    " Look before you repeat it."
)
LOOK_EVERY_S = 20.0
NOT_RUN = "Recto ended before this tool was run. It was not run."


async def recover(services: ChatServices) -> int:
    """Bring every turn that was cut off to an end; answers how many there were.

    Turns of other processes that live are theirs.
    """
    return len(await recover_abandoned(services))


async def recover_abandoned(services: ChatServices) -> tuple[Run, ...]:
    """The same; answers the turns."""
    runs = await services.storage.runs.abandoned()
    for run in runs:
        await recover_run(services, run)
    return runs


async def keep_recovering(services: ChatServices) -> None:
    """Bring to an end what other processes leave behind when they die, until cancelled.

    After a restart of the database nobody is taken for dead for a while; then this finds them.
    """
    # A store of one process has nobody else's turns; its own were recovered at the start.
    while services.storage.shared_locks.is_shared:
        await anyio.sleep(LOOK_EVERY_S)
        runs = await recover_abandoned(services)
        if runs and services.edits is not None:
            await services.edits.recover({run.id for run in runs})
    await anyio.sleep_forever()


async def recover_run(services: ChatServices, run: Run) -> None:
    """Bring one turn to an end, unless somebody else just did."""
    events = await services.storage.events.of_run(run.id)
    # Two suffice: the answer whose calls are open, and an error behind it.
    entries, _ = await services.archive.end(run.chat_id, limit=2)
    contents: list[EntryContent] = []
    partial = partial_answer(events, run.id)
    if partial is None and (open_calls := calls_without_results(entries, run.id)) is not None:
        known = await read_call_log(services, events, open_calls.step)
        results = tuple(result_of(call, known) for call in open_calls.calls)
        contents.append(ToolResults(results, run.id, open_calls.step))
    contents.append(Notice("interrupted", INTERRUPTED, run.id))

    async def work(write: WriteTransaction) -> list[ChatEntry] | None:
        # Several processes look for abandoned turns; the first one ends it.
        if (await services.storage.runs.get(run.id, within=write)).state != "running":
            return None
        await services.storage.runs.end(write, run.id, "interrupted")
        # Before the cost is read: this books requests whose end nobody heard of.
        await services.budget.recover_turn(write, run.id)
        chat = await services.storage.chats.get(run.chat_id, within=write)
        await announce_threads(services.storage, write, chat, input_of(run.body).comments)
        answered = [await with_cost(services, write, partial, run, events)] if partial else []
        return [
            await services.archive.append(write, run.chat_id, item)
            for item in (*answered, *contents)
        ]

    body = event_bodies.turn_body(run.id, "interrupted", input_of(run.body))
    await services.journals.of(run.chat_id).commit_with(
        work,
        lambda new: (
            [] if new is None else [*entry_events(new, run.id), NewEvent("turn", body, run.id)]
        ),
    )


def partial_answer(events: Sequence[ChatEvent], run_id: str) -> Assistant | None:
    """The words that had come of an answer that never became an entry."""
    last = max((at for at, event in enumerate(events) if event.kind == "step"), default=None)
    # "exchange" is committed together with the answer's entry: then nothing of it is missing.
    if last is None or any(event.kind == "exchange" for event in events[last:]):
        return None
    begun, pieces = events[last].body, events[last + 1 :]
    parts: list[AssistantPart] = []
    for event in pieces:
        kind = {"text": Text, "thinking": Thinking}.get(event.kind)
        if kind is None or not event.body["text"]:
            continue
        if parts and type(parts[-1]) is kind:
            parts[-1] = kind(parts[-1].text + event.body["text"])
        else:
            parts.append(kind(event.body["text"]))
    if not parts:
        return None
    return Assistant(
        parts=tuple(parts),
        turn=run_id,
        step=begun["step"],
        model=begun["model"],
        model_name=begun["model_name"],
        reason="interrupted",
        usage=None,
        cost_micros=None,
        sureness=event_bodies.STOPPED,
        source=event_bodies.source_of(None),
    )


async def with_cost(
    services: ChatServices,
    write: WriteTransaction,
    partial: Assistant,
    run: Run,
    events: Sequence[ChatEvent],
) -> Assistant:
    """An answer with what was booked for it: all of its turn that no other answer was told of."""
    told_of = {
        item for event in events if event.kind == "exchange" for item in event.body["booked"]
    }
    rows = await services.storage.ledger.of_turn(run.chat_id, run.id, within=write)
    exchange = Exchange(booked=[row for row in rows if row.spend.id not in told_of])
    return replace(partial, usage=exchange.usage(None), cost_micros=exchange.cost_micros)


class OpenCalls:
    """The calls of a turn's last answer, which have no results in the history."""

    def __init__(self, step: int, calls: tuple[ToolCall, ...]) -> None:
        self.step = step
        self.calls = calls


def calls_without_results(entries: Sequence[ChatEntry], run_id: str) -> OpenCalls | None:
    """The calls that still need results, if the history ends with such."""
    # What failed at its end stands before the results of its calls.
    contents = [entry.content for entry in entries if not isinstance(entry.content, Error)]
    last = contents[-1] if contents else None
    if not isinstance(last, Assistant) or last.turn != run_id:
        return None
    calls = tuple(part for part in last.parts if isinstance(part, ToolCall))
    return OpenCalls(last.step, calls) if calls else None


@dataclass(slots=True)
class CallLog:
    """What the log knows of the calls of a step, by their id; calls that share one are in order."""

    started: Counter[str] = field(default_factory=Counter[str])
    ended: dict[str, deque[Result]] = field(default_factory=dict[str, deque[Result]])


async def read_call_log(services: ChatServices, events: Sequence[ChatEvent], step: int) -> CallLog:
    """Which tools of a step had begun without an answer, and what the others had answered."""
    known = CallLog()
    for event in events:
        if event.kind == "call_started" and event.body["step"] == step:
            known.started[event.body["call_id"]] += 1
        elif event.kind == "call_ended" and event.body["step"] == step:
            body = event.body["result"]
            blobs = {
                blob_hash: await services.storage.blobs.get(blob_hash)
                for blob_hash in blob_hashes(body)
            }
            result = decode_result(body, blobs)
            call_id = result.result.call_id
            # A call that was refused has never begun.
            known.started[call_id] = max(0, known.started[call_id] - 1)
            known.ended.setdefault(call_id, deque()).append(result)
    return known


def result_of(call: ToolCall, known: CallLog) -> Result:
    """The result of a call: its answer, or what is known of it."""
    if ended := known.ended.get(call.id):
        return ended.popleft()
    if known.started[call.id]:
        known.started[call.id] -= 1
        return unanswered(call, UNKNOWN, "unknown", "unknown")
    return unanswered(call, NOT_RUN, "not run", "cancelled")


def unanswered(call: ToolCall, words: str, fact: str, state: CallState) -> Result:
    """The result of a call that has no answer."""
    return Result(ToolResult(call.id, call.name, (Text(words),), is_error=True), fact, state)
