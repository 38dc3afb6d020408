"""What a run did, in an order that does not depend on which tool was faster; and comparing two.

Covered are the entries with their ids and bodies, the bytes of every request, what each try used
and cost, the calls, and the changes to files. When each was written is not.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recto.storage import ChatEvent, LedgerRow, Storage

SHOWN = 60
KINDS = {
    "system": "the system prompt",
    "assistant": "the answer",
    "tool_results": "the answers of the tools",
    "user": "what was said meanwhile",
    "error": "the failure",
    "notice": "the notice",
    "summary": "the summary",
}
CALL_KINDS = ("call_started", "change", "call_ended")
WHAT_OF_CALL = {"call_started": "what the tool was given", "change": "what the tool changed"}


@dataclass(frozen=True, slots=True)
class RunItem:
    """One thing that a run did: where, and what exactly."""

    place: str
    value: str


@dataclass(frozen=True, slots=True)
class RunDifference:
    """Where two stories part, and how both go on there."""

    place: str
    words: str
    recorded: str = ""
    now: str = ""


async def list_run_items(
    storage: Storage,
    events: Sequence[ChatEvent],
    rows: Sequence[LedgerRow],
    *,
    is_whole: bool = True,
) -> list[RunItem]:
    """The story that some events of a run tell; calls at its end only if it is whole."""
    story: list[RunItem] = []
    calls: list[tuple[str, int, RunItem]] = []
    by_id = {row.spend.id: row for row in rows}
    step = 0
    for event in events:
        if event.kind in CALL_KINDS:
            calls.append(call_item(event, step))
        elif event.kind in ("entry", "exchange"):
            story += in_order(calls)
            calls.clear()
        if event.kind == "exchange":
            step = event.body["step"]
            story += exchange_items(event, by_id)
        elif event.kind == "entry":
            story.append(await entry_item(storage, event, step))
    return [*story, *in_order(calls)] if is_whole else story


def in_order(calls: Sequence[tuple[str, int, RunItem]]) -> list[RunItem]:
    """What calls did, one call after the other."""
    return [item for _, _, item in sorted(calls, key=lambda one: one[:2])]


def call_item(event: ChatEvent, step: int) -> tuple[str, int, RunItem]:
    """Something of a call, with what it is sorted by."""
    body = dict(event.body)
    if event.kind == "call_ended":
        call_id: str = body["result"]["result"]["call_id"]
    else:
        call_id = body["call_id"]
    what = WHAT_OF_CALL.get(event.kind, "what the tool answered")
    item = RunItem(f"step {step}, call {call_id}: {what}", plain(body))
    return call_id, CALL_KINDS.index(event.kind), item


def exchange_items(event: ChatEvent, rows: dict[str, LedgerRow]) -> list[RunItem]:
    """The requests of a step, and what each used."""
    place = f"step {event.body['step']}"
    items = [
        RunItem(f"{place}, request {number}: its bytes", attempt["request"])
        for number, attempt in enumerate(event.body["tries"], 1)
    ]
    # What was never sent, because the budget refused it, is booked by a replay alone, as nothing.
    for number, row_id in enumerate(event.body["booked"][: len(items)], 1):
        if (row := rows.get(row_id)) is not None:
            items.append(RunItem(f"{place}, request {number}: what it used", spent(row)))
    return items


def spent(row: LedgerRow) -> str:
    """What was booked for a request."""
    spend = row.spend
    return plain(
        {
            "input": spend.input_tokens,
            "cache_read": spend.cache_read_tokens,
            "cache_write": spend.cache_write_tokens,
            "output": spend.output_tokens,
            "reasoning": spend.reasoning_tokens,
            "cost_micros": spend.cost_micros,
            "outcome": spend.outcome,
        }
    )


async def entry_item(storage: Storage, event: ChatEvent, step: int) -> RunItem:
    """An entry of the history, without the moment it was written."""
    entry = await storage.chats.entry(event.chat_id, event.body["id"])
    place = f"step {step}" if step else "before the first step"
    value = plain({"id": entry.id, "kind": entry.kind, "body": entry.body})
    return RunItem(f"{place}: {KINDS.get(entry.kind, entry.kind)}", value)


def plain(value: Any) -> str:
    """A value as one text."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def compare(recorded: Sequence[RunItem], now: Sequence[RunItem]) -> RunDifference | None:
    """Where two stories part first, as far as both go."""
    for old, new in zip(recorded, now, strict=False):
        if old.place != new.place:
            return RunDifference(old.place, f"Now comes something else: {new.place}.")
        if old.value != new.value:
            return difference(old.place, old.value, new.value, "character")
    return None


def difference(place: str, old: str, new: str, unit: str) -> RunDifference:
    """How two texts differ: where, and what stands there."""
    pairs = zip(old, new, strict=False)
    shorter = min(len(old), len(new))
    at = next((at for at, (item, two) in enumerate(pairs) if item != two), shorter)
    start = max(0, at - SHOWN // 3)
    return RunDifference(
        place,
        f"They differ from {unit} {at + 1:,} on.",
        old[start : start + SHOWN],
        new[start : start + SHOWN],
    )
