"""A model that calls a server's tools in a chat, and a person who agrees to each call."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from tests.fakes.providers import AnthropicServer, calls, says
from tests.talk import Json, Talk, ended


async def call_tool(
    talk: Talk,
    upstream: AnthropicServer,
    name: str,
    arguments: dict[str, Any] | None = None,
    *,
    answer: str = "once",
    reply: Json | None = None,
    replies: Sequence[Json] = (),
    opens: Callable[[str], Awaitable[None]] | None = None,
) -> Json:
    """Have the model call a tool; what the tool answered, with what was asked on the way."""
    begun = (await talk.view())["lastEvent"]
    upstream.answer(calls(name, arguments or {}))
    upstream.answer(says("Done."))
    turn = await talk.say("Go on.")
    found: Json = {"asked": [], "elicited": [], "printed": ""}
    async for event in talk.follow(begun):
        match event["kind"]:
            case "approval":
                found["asked"].append(event)
                await talk.answer(event, answer)
            case "elicitation":
                found["elicited"].append(event)
                address = f"/api/v1/elicitations/{event['elicitationId']}"
                filled_in = [{"action": "accept", "content": one} for one in replies]
                said = reply or filled_in[len(found["elicited"]) - 1]
                await talk.post(address, said, status=204)
                # After the answer: what the address leads to may end the question by itself.
                if opens is not None:
                    await opens(event["url"])
            case "call_output":
                found["printed"] += event["text"]
            case "call_ended":
                found |= event["result"]
            case _:
                pass
        if ended(turn)(event):
            assert event["state"] == "finished", event
            return found
    raise AssertionError("the stream ended")
