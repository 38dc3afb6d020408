"""What the server is told to answer: thoughts, words and calls in any order, and odd streams."""

import json
from random import Random
from typing import Any

from recto.messages import Request
from tests.fakes.providers import Decline, Fault, Script, Step, UseTool, calls, says, thinks
from tests.fakes.providers.anthropic_traps import TRAPS as ANTHROPIC
from tests.fakes.providers.chat_traps import TRAPS as CHAT
from tests.fakes.providers.gemini_frames import TRAPS as GEMINI
from tests.fakes.providers.responses_traps import TRAPS as RESPONSES
from tests.llm.any_history.draws import CALL_IDS
from tests.llm.any_history.places import Place

TRAPS: dict[str, tuple[str, ...]] = {
    # Streams in which blocks can't be told apart are no real ones.
    "anthropic-messages": tuple(sorted(set(ANTHROPIC) - {"index_same"})),
    "openai-responses": tuple(sorted(RESPONSES)),
    "openai-chat": tuple(sorted(CHAT)),
    "gemini": tuple(sorted(GEMINI)),
}
SAID = ("Sure. ", "The tide is high", "\n\n", "潮", "😀", " ", "so `x = 1`")


def wire_names(place: Place, body: bytes) -> list[str]:
    """The tools of a request, by the names they have on the wire."""
    tools: list[dict[str, Any]] = json.loads(body).get("tools") or []
    match place.provider.protocol:
        case "openai-chat":
            return [tool["function"]["name"] for tool in tools]
        case "gemini":
            return [item["name"] for tool in tools for item in tool["functionDeclarations"]]
        case _:
            return [tool["name"] for tool in tools]


def script(chance: Random, place: Place, request: Request, names: list[str]) -> Script:
    """One answer. Without steps, the server answers what was asked of it."""
    fault = fault_of(chance, place)
    is_asked = request.output_schema is not None or request.tool_choice.mode != "auto"
    if is_asked and chance.random() < 0.7:
        return Script(fault=fault)
    if chance.random() < 0.05:
        return Script((says(),), stop=chance.choice((None, "filtered", "length")), fault=fault)
    steps: list[Step] = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        steps += round_of(chance)
    if names and chance.random() < 0.6:
        # Some habits put arguments as objects, which torn ones can't be.
        may_tear = fault is None or not fault.traps
        count = chance.choice((1, 1, 2, 3))
        steps += [call(chance, names, may_tear=may_tear) for _ in range(count)]
    if chance.random() < 0.05:
        steps.append(Decline(("I can't ", "do that.")))
    stop = chance.choice(("length", "filtered")) if chance.random() < 0.06 else None
    return Script(tuple(steps), stop=stop, fault=fault)


def round_of(chance: Random) -> list[Step]:
    """Some thoughts and some words."""
    found: list[Step] = []
    if chance.random() < 0.6:
        is_redacted = chance.random() < 0.15
        found.append(thinks("Let me ", "see", chance.choice(SAID), redacted=is_redacted))
    if chance.random() < 0.8:
        found.append(says(*chance.choices(SAID, k=chance.choice((1, 2, 4)))))
    return found


def call(chance: Random, names: list[str], *, may_tear: bool) -> UseTool:
    """A call; rarely with an id somebody else has, or with arguments that are torn."""
    odd = chance.random()
    if odd < 0.04 and may_tear:
        return UseTool(chance.choice(names), ('{"path": "ma',))
    call_id = chance.choice(CALL_IDS[1:6]) if odd < 0.1 else None
    arguments = chance.choice(({}, {"path": "main.py"}, {"count": 3, "path": "潮\n"}))
    return calls(chance.choice(names), arguments, id=call_id)


def may_spring(trap: str, place: Place) -> bool:
    """OpenAI's own server signs no calls: only those that stand in for Gemini do."""
    return trap != "thought_signature" or place.server != "openai chat"


def fault_of(chance: Random, place: Place) -> Fault | None:
    """How the stream is disturbed, if it is."""
    if chance.random() < 0.7:
        return None
    traps = [trap for trap in TRAPS[place.provider.protocol] if may_spring(trap, place)]
    count = chance.choice((0, 1, 1, 2))
    return Fault(
        chunking=chance.choice(("frames", "random", "one")),
        seed=chance.randrange(1000),
        keepalives=chance.random() < 0.2,
        comments=chance.random() < 0.2,
        traps=frozenset(chance.sample(traps, min(count, len(traps)))),
        usage=chance.choice((None, None, "missing", "zero", "absurd")),
        terminal=chance.choice(("once", "once", "missing", "twice", "followed")),
    )
