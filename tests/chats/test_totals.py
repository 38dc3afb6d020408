"""What a chat cost is the same wherever it is shown, however its requests ended."""

import re

import pytest

from tests.fakes.providers import AnthropicServer, Fault, Gate, says
from tests.talk import Talk, ended

pytestmark = pytest.mark.anyio

UP_TO_THE_FIRST_WORDS = 3
"""Frames of the provider: the message, the block, some words."""
BROKEN = Fault(error_event="api_error", error_at=UP_TO_THE_FIRST_WORDS)
Numbers = tuple[int, int, int, int]
"""What was sent, what came back, its price in micro-dollars, and requests without a price."""


async def on_the_page(talk: Talk) -> Numbers:
    totals = (await talk.view())["totals"]
    sent = totals["input"] + totals["cacheRead"] + totals["cacheWrite"]
    return sent, totals["output"], totals["costMicros"], totals["unpriced"]


async def in_the_usage(talk: Talk) -> Numbers:
    report = (await talk.client.get("/api/v1/usage")).json()
    rows = [row for row in report["chats"] if row["id"] == talk.chat_id]
    if not rows:
        return 0, 0, 0, 0
    (row,) = rows
    sent = row["inputTokens"] + row["cacheReadTokens"] + row["cacheWriteTokens"]
    return sent, row["outputTokens"], row["costMicros"], row["unpriced"]


async def in_the_export(talk: Talk) -> tuple[int, int]:
    answer = await talk.client.get(talk.path("export"), params={"format": "markdown"})
    (found,) = re.findall(r"([\d,]+) tokens in, ([\d,]+) out; \$", answer.text)
    sent, received = (int(item.replace(",", "")) for item in found)
    return sent, received


async def the_same_everywhere(talk: Talk) -> Numbers:
    shown = await on_the_page(talk)
    assert await in_the_usage(talk) == shown
    assert await in_the_export(talk) == shown[:2]
    return shown


async def stop_in_the_middle(talk: Talk, upstream: AnthropicServer) -> None:
    gate = Gate()
    upstream.answer(says("The tide ", "never ends"), fault=Fault(drip=True, gate=gate))
    turn = await talk.say("Go on.")
    gate.step(UP_TO_THE_FIRST_WORDS)
    await talk.until(lambda event: event["kind"] == "text" and event["turnId"] == turn)
    await talk.post(f"/api/v1/turns/{turn}/cancel", status=204)
    await talk.until(ended(turn))


async def test_a_stopped_answer_shows_what_was_booked_for_it(
    talk: Talk, upstream: AnthropicServer
) -> None:
    await stop_in_the_middle(talk, upstream)

    (answer,) = await talk.entries("assistant")
    usage = answer["usage"]
    told = usage["input"] + usage["cacheRead"] + usage["cacheWrite"], usage["output"]
    assert usage["source"] == "estimated"
    assert answer["source"]["answerModel"] == "claude-sonnet-4-6"
    assert min(told) > 0
    assert (*told, answer["costMicros"], 0) == await the_same_everywhere(talk)
    assert answer["costMicros"] > 0


async def test_a_broken_answer_shows_what_was_booked_for_it(
    talk: Talk, upstream: AnthropicServer
) -> None:
    upstream.answer(says("The tide ", "never ends"), fault=BROKEN)
    await talk.ask("Go on.")

    (answer,) = await talk.entries("assistant")
    assert (answer["reason"], answer["usage"]["source"]) == ("error", "estimated")
    usage = answer["usage"]
    sent = usage["input"] + usage["cacheRead"] + usage["cacheWrite"]
    shown = await the_same_everywhere(talk)
    assert (sent, usage["output"], answer["costMicros"], 0) == shown


async def test_totals_agree_after_a_stop_a_failed_summary_an_edit_and_a_branch(
    talk: Talk, upstream: AnthropicServer
) -> None:
    upstream.answer(says("One."))
    first = await talk.ask("One?")
    before = await the_same_everywhere(talk)
    await stop_in_the_middle(talk, upstream)
    stopped = await the_same_everywhere(talk)
    upstream.answer(says("In short: one."), fault=BROKEN)
    turn = await talk.post(talk.path("summary"))
    await talk.until(ended(turn["turnId"]))
    assert await talk.entries("summary") == []
    failed = await the_same_everywhere(talk)
    upstream.answer(says("Another."))
    edited = await talk.post(talk.path(f"entries/{first[0]['id']}/edit"), {"text": "Two?"})
    await talk.until(ended(edited["turnId"]))
    after = await the_same_everywhere(talk)

    assert before < stopped < failed < after
    (answer, *_) = await talk.entries("assistant")
    branch = await talk.post(talk.path(f"entries/{answer['id']}/branch"), status=201)
    other = Talk(talk.client, talk.project_id, branch["id"])
    assert await the_same_everywhere(other) == (0, 0, 0, 0)
    upstream.answer(says("Three."))
    await other.ask("Three?")
    assert (0, 0, 0, 0) < await the_same_everywhere(other) < after
    assert await the_same_everywhere(talk) == after
