"""A neutral request to POST /v1/messages. The same conversation gives the same bytes."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import cast, get_args

import msgspec
from msgspec.structs import replace

from recto.llm.encoding import encode
from recto.llm.names import wire_name
from recto.llm.protocols.anthropic_messages.body import (
    AdaptiveThinking,
    AnyChoice,
    AutoChoice,
    Body,
    CacheControl,
    EffortLevel,
    ManualThinking,
    NamedChoice,
    NoChoice,
    NoThinking,
    OutputConfig,
    OutputFormat,
    SearchTool,
    TextBlock,
    ThinkingBetweenTools,
    ToolDefinition,
    Turn,
)
from recto.llm.protocols.anthropic_messages.lower_messages import is_thinking, lower_messages
from recto.llm.protocols.anthropic_messages.schema import lower_output, lower_parameters
from recto.llm.protocols.anthropic_messages.tool_search import (
    SEARCH,
    held_back,
    with_known_searches,
)
from recto.llm.traits import Traits, snap
from recto.llm.wire import WireRequest
from recto.messages import (
    CacheMarks,
    Effort,
    Json,
    Origin,
    Request,
    ToolChoice,
    ToolSpec,
    called_names,
)

PATH = "/v1/messages"
# Newer versions only refuse more (any temperature, for one), and every server knows this one.
HEADERS = {"anthropic-version": "2023-06-01"}
MAX_MARKS = 4
LEVELS: tuple[EffortLevel, ...] = get_args(EffortLevel)
LEAST_BUDGET = 1024
BUDGETS: dict[Effort, int] = {
    "off": 0,
    "minimal": 1024,
    "low": 2048,
    "medium": 10_000,
    "high": 16_384,
    "xhigh": 32_768,
    "max": 32_768,
}
ROOM_AFTER_THINKING = 4096

ChoiceBody = AutoChoice | AnyChoice | NamedChoice | NoChoice
ThinkingBody = AdaptiveThinking | ManualThinking | NoThinking | ThinkingBetweenTools


@dataclass(frozen=True, slots=True)
class AnswerTerms:
    """What is asked of the answer: the tools it may or must call, the schema it is held to."""

    tools: tuple[ToolSpec, ...] = ()
    choice: ChoiceBody | None = None
    schema: Json | None = None

    @property
    def is_forced(self) -> bool:
        """Whether a tool must be called."""
        return isinstance(self.choice, AnyChoice | NamedChoice)


def lower(request: Request, traits: Traits, origin: Origin) -> WireRequest:
    """Write a request; provider data of another origin is left out."""
    asked = lower_asked(request, traits)
    cache = request.cache if traits.cache_marks else CacheMarks()
    later: frozenset[str] = frozenset()
    if traits.tool_search and not asked.is_forced:
        later = held_back(asked.tools, request.messages, origin)
    known = {wire_name(tool.name) for tool in asked.tools} if later else set[str]()
    messages = with_known_searches(request.messages, known, origin)
    turns = lower_messages(messages, lower_marks(cache), traits, origin)
    thinking, effort = lower_thinking_mode(request, asked, turns, traits)
    body = Body(
        model=request.model,
        max_tokens=request.max_output,
        tools=lower_tools(asked.tools, later),
        tool_choice=asked.choice,
        # Anthropic refuses text that is empty or only white space.
        system=[TextBlock(request.system)] if request.system.strip() else [],
        messages=turns,
        thinking=thinking,
        output_config=lower_output_config(effort, asked.schema),
        stop_sequences=[stop for stop in request.stop if stop.strip()],
        temperature=lower_temperature(request.temperature, traits),
        stream=request.stream,
    )
    if cache.system:
        mark_system(body, cache)
    raise_lives(body)
    return WireRequest(PATH, encode(body), HEADERS)


def lower_asked(request: Request, traits: Traits) -> AnswerTerms:
    """Tools and schema, with the nearest thing where a tool can't be forced.

    The tools stay even if none may be called: thoughts are bound to what the model was told.
    """
    wanted = request.output_schema
    schema = wanted.schema if wanted is not None and traits.structured else None
    choice = request.tool_choice
    tools = {wire_name(tool.name): tool for tool in reversed(request.tools)}
    known = tuple(reversed(tools.values()))
    forced = [tool for tool in known if choice.mode == "any" or tool.name == choice.name]
    is_forced = choice.mode in ("any", "one") and bool(forced)
    if is_forced and not (traits.forced_tool and traits.tools):
        is_forced = False
        if len(forced) == 1 and schema is None and traits.structured:
            # The nearest thing to a forced call: an answer in the shape of its arguments.
            schema, choice = forced[0].parameters, ToolChoice("none")
    if not known or not traits.tools:
        return without_tools(request, schema)
    if choice.mode == "none":
        return AnswerTerms(known, NoChoice(), schema)
    if not is_forced:
        return AnswerTerms(known, AutoChoice(choice.single) if choice.single else None, schema)
    if choice.mode == "any":
        return AnswerTerms(known, AnyChoice(choice.single), schema)
    return AnswerTerms(known, NamedChoice(wire_name(forced[0].name), choice.single), schema)


def without_tools(request: Request, schema: Json | None) -> AnswerTerms:
    """No tools; but calls in the history need definitions, if only by name."""
    names = called_names(request.messages)
    if not names:
        return AnswerTerms(schema=schema)
    # Anthropic refuses a history with calls when no tools are defined.
    return AnswerTerms(tuple(ToolSpec(name, "", {}) for name in names), NoChoice(), schema)


def lower_tools(
    tools: tuple[ToolSpec, ...], later: Collection[str]
) -> list[ToolDefinition | SearchTool]:
    """The tools the model is told of; those of `later` only once a search has found them."""
    definitions = [
        ToolDefinition(
            wire_name(tool.name),
            lower_parameters(tool.parameters),
            tool.description,
            True if wire_name(tool.name) in later else None,
        )
        for tool in tools
    ]
    return [replace(SEARCH), *definitions] if later else [*definitions]


def lower_thinking_mode(
    request: Request, asked: AnswerTerms, turns: list[Turn], traits: Traits
) -> tuple[ThinkingBody | None, EffortLevel | None]:
    """How to think, and how hard."""
    effort = request.effort
    # Most Claude models refuse a forced tool together with thinking.
    if effort is None or (asked.is_forced and not traits.forced_tool_thinking):
        return None, None
    display = "summarized" if traits.hides_thinking else None
    if traits.thinking == "manual":
        budget = lower_budget(effort, request.max_output)
        if budget < LEAST_BUDGET or not may_think_manually(turns):
            return lower_off(traits), None
        return ManualThinking(budget, display), None
    if traits.thinking != "adaptive":
        return None, None
    if effort == "off" and "off" in traits.efforts:
        return lower_off(traits), None
    accepted: tuple[Effort, ...] = tuple(level for level in LEVELS if level in traits.efforts)
    return AdaptiveThinking(display), cast(EffortLevel | None, snap(effort, accepted))


def lower_off(traits: Traits) -> ThinkingBody | None:
    """How this model is told not to think."""
    match traits.off:
        case "omit":
            return None
        case "disabled":
            return NoThinking()
        case "between_tools":
            return ThinkingBetweenTools()


def may_think_manually(turns: list[Turn]) -> bool:
    """Whether the model's last turn, if tools answered it, begins with its thoughts.

    In the middle of calls that another model began it doesn't, and a budget would be refused.
    """
    if len(turns) < 2 or turns[-1].role == "assistant":
        return True
    is_answered = any(getattr(block, "tool_use_id", None) for block in turns[-1].content)
    return not is_answered or is_thinking(turns[-2].content[0])


def lower_budget(effort: Effort, max_output: int) -> int:
    """The tokens for thoughts, with room for an answer after them.

    They count as output, and the limit on that is money: it is never raised.
    """
    room = min(ROOM_AFTER_THINKING, max_output // 2)
    return min(BUDGETS[effort], max_output - room)


def lower_output_config(effort: EffortLevel | None, schema: Json | None) -> OutputConfig | None:
    """Effort and schema, if there is either."""
    if effort is None and schema is None:
        return None
    return OutputConfig(effort, None if schema is None else OutputFormat(lower_output(schema)))


def lower_temperature(temperature: float | None, traits: Traits) -> float | None:
    """The temperature, where one is accepted, within the API's range."""
    if temperature is None or not traits.sampling:
        return None
    # Anthropic goes up to 1, others to 2.
    return min(max(temperature, 0.0), 1.0)


def lower_marks(cache: CacheMarks) -> dict[int, CacheControl]:
    """The messages to mark: the newest, as many as the system prompt leaves of the four marks."""
    newest = sorted(set(cache.messages), reverse=True)
    kept = newest[: MAX_MARKS - 1 if cache.system else MAX_MARKS]
    return {index: lower_life(is_long=index in cache.long_messages) for index in kept}


def lower_life(*, is_long: bool) -> CacheControl:
    """A mark; the usual life needs no word."""
    return CacheControl("1h") if is_long else CacheControl()


def mark_system(body: Body, cache: CacheMarks) -> None:
    """Mark what comes before the messages: the system prompt, or the tools if there is none."""
    told = [tool for tool in body.tools if not getattr(tool, "defer_loading", None)]
    before = body.system or told
    if before:
        before[-1].cache_control = lower_life(is_long=cache.long_system)


def raise_lives(body: Body) -> None:
    """Have no mark outlive one before it, which is refused: the earlier one lives as long."""
    is_long = False
    # Turns that are JSON already have no mark.
    turns = cast(list[Turn | msgspec.Raw], body.messages)
    open_turns = [turn for turn in turns if isinstance(turn, Turn)]
    blocks = [
        *body.tools,
        *body.system,
        *(block for turn in open_turns for block in turn.content),
    ]
    for block in reversed(blocks):
        mark = getattr(block, "cache_control", None)
        if isinstance(mark, CacheControl):
            is_long = is_long or mark.ttl == "1h"
            mark.ttl = "1h" if is_long else None
