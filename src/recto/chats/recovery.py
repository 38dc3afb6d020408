"""After a crash: what a turn had done when the program died becomes part of the history.

Nothing is run again. Words that had come are kept, tools that had answered keep their answers, and
of a tool that had begun nobody knows the outcome: that is what it answers.
"""

from collections.abc import Sequence

from recto.chats import telling
from recto.chats.archive import told
from recto.chats.codec import blob_hashes, decode_result
from recto.chats.entries import Assistant, Content, Entry, Notice, Result, ToolResults
from recto.chats.inputs import input_of
from recto.chats.means import Means
from recto.chats.threads.telling import tell_threads
from recto.messages import AssistantPart, Text, Thinking, ToolCall, ToolResult
from recto.storage import ChatEvent, NewEvent, Run, Write

INTERRUPTED = "Recto ended while this ran. What there was is kept. Continue, or ask anew."
UNKNOWN = (
    "Recto ended while this tool ran. Whether it did its work is unknown; it was not run again."
    " Look before you repeat it."
)
NOT_RUN = "Recto ended before this tool was run. It was not run."


async def recover(means: Means) -> int:
    """Bring every turn that was cut off to an end; answers how many there were.

    Turns of other processes that live are theirs.
    """
    runs = await means.storage.runs.abandoned()
    for run in runs:
        await recover_run(means, run)
    return len(runs)


async def recover_run(means: Means, run: Run) -> None:
    """Bring one turn to an end, unless somebody else just did."""
    events = await means.storage.events.of_run(run.id)
    entries, _ = await means.archive.end(run.chat_id, limit=2)
    contents: list[Content] = []
    if (partial := partial_answer(events, run.id)) is not None:
        contents.append(partial)
    elif (open_calls := calls_without_results(entries, run.id)) is not None:
        answered = await answers(means, events)
        results = tuple(result_of(call, answered, events) for call in open_calls.calls)
        contents.append(ToolResults(results, run.id, open_calls.step))
    contents.append(Notice("interrupted", INTERRUPTED, run.id))

    async def work(write: Write) -> list[Entry] | None:
        if (await means.storage.runs.get(run.id, within=write)).state != "running":
            return None
        await means.storage.runs.end(write, run.id, "interrupted")
        chat = await means.storage.chats.get(run.chat_id, within=write)
        await tell_threads(means.storage, write, chat, input_of(run.body).comments)
        return [await means.archive.append(write, run.chat_id, one) for one in contents]

    body = telling.turn(run.id, "interrupted", input_of(run.body))
    await means.journals.of(run.chat_id).commit_with(
        work,
        lambda new: [] if new is None else [*told(new, run.id), NewEvent("turn", body, run.id)],
    )


def partial_answer(events: Sequence[ChatEvent], run_id: str) -> Assistant | None:
    """The words that had come of an answer that never became an entry."""
    last = max((at for at, event in enumerate(events) if event.kind == "step"), default=None)
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
        sureness=telling.UNKNOWN,
        source=telling.source_of(None),
    )


class OpenCalls:
    """The calls of a turn's last answer, which have no results in the history."""

    def __init__(self, step: int, calls: tuple[ToolCall, ...]) -> None:
        self.step = step
        self.calls = calls


def calls_without_results(entries: Sequence[Entry], run_id: str) -> OpenCalls | None:
    """The calls that still need results, if the history ends with such."""
    last = entries[-1].content if entries else None
    if not isinstance(last, Assistant) or last.turn != run_id:
        return None
    calls = tuple(part for part in last.parts if isinstance(part, ToolCall))
    return OpenCalls(last.step, calls) if calls else None


async def answers(means: Means, events: Sequence[ChatEvent]) -> dict[tuple[int, str], Result]:
    """What tools had answered, by step and call."""
    found: dict[tuple[int, str], Result] = {}
    for event in events:
        if event.kind == "call_ended":
            body = event.body["result"]
            blobs = {one: await means.storage.blobs.get(one) for one in blob_hashes(body)}
            result = decode_result(body, blobs)
            found[event.body["step"], result.result.call_id] = result
    return found


def result_of(
    call: ToolCall, answered: dict[tuple[int, str], Result], events: Sequence[ChatEvent]
) -> Result:
    """The result of a call: its answer, or what is known of it."""
    last_step = max(event.body["step"] for event in events if event.kind == "step")
    if (found := answered.get((last_step, call.id))) is not None:
        return found
    started = any(
        event.kind == "call_started"
        and (event.body["step"], event.body["call_id"]) == (last_step, call.id)
        for event in events
    )
    words = UNKNOWN if started else NOT_RUN
    result = ToolResult(call.id, call.name, (Text(words),), is_error=True)
    return Result(
        result, "unknown" if started else "not run", "unknown" if started else "cancelled"
    )
