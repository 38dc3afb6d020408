"""Neutral request to generateContent bytes. The same conversation always gives the same bytes.

The base address holds the API version (`…/v1beta`); the path begins at the model. To continue an
answer that stopped with CONTINUATION, send the same request with that answer's message appended:
its last part holds the token, and the body becomes the first request's with the token added.
"""

from urllib.parse import quote

from recto.llm.encoding import encode
from recto.llm.protocols.gemini.body import (
    Body,
    GenerationConfig,
    Level,
    Part,
    SystemInstruction,
    ThinkingConfig,
)
from recto.llm.protocols.gemini.lower_messages import continuation, lower_contents, without_answer
from recto.llm.protocols.gemini.lower_tools import (
    forced_tool,
    is_forced,
    lower_choice,
    lower_schema,
    lower_tools,
)
from recto.llm.traits import Traits, snap
from recto.llm.wire import WireRequest
from recto.messages import Effort, Json, Origin, Request

LEVELS: dict[Effort, Level] = {
    "off": "MINIMAL",
    "minimal": "MINIMAL",
    "low": "LOW",
    "medium": "MEDIUM",
    "high": "HIGH",
    "xhigh": "HIGH",
    "max": "HIGH",
}
BUDGETS: dict[Effort, int] = {
    "off": 0,
    "minimal": 512,
    "low": 2048,
    "medium": 8192,
    "high": 24576,
    "xhigh": 32768,
    "max": 32768,
}
LEAST_BUDGET = 128
"""What a model gets that can't be told not to think."""
MAX_STOPS = 5


def lower(request: Request, traits: Traits, origin: Origin) -> WireRequest:
    """Write a request."""
    return WireRequest(
        path=lower_path(request), body=encode(lower_body(request, traits, origin)), headers={}
    )


def lower_path(request: Request) -> str:
    """The address of the model and what to ask of it."""
    name = request.model if "/" in request.model else f"models/{request.model}"
    method = "streamGenerateContent?alt=sse" if request.stream else "generateContent"
    return f"/{quote(name)}:{method}"


def lower_body(request: Request, traits: Traits, origin: Origin) -> Body:
    """The body of a request."""
    token = continuation(request.messages, origin)
    messages = request.messages if token is None else without_answer(request.messages)
    schema = answer_schema(request, traits)
    with_tools = traits.tools and bool(request.tools) and not is_schema_for_tool(request, traits)
    return Body(
        system_instruction=lower_system(request.system),
        tools=lower_tools(request) if with_tools else [],
        tool_config=lower_choice(request, traits) if with_tools else None,
        contents=lower_contents(messages, traits, origin),
        generation_config=lower_generation(request, traits, schema),
        continuation_token=token,
    )


def lower_system(system: str) -> SystemInstruction | None:
    """The system prompt, if there is one."""
    return SystemInstruction(parts=[Part(text=system)]) if system.strip() else None


def is_schema_for_tool(request: Request, traits: Traits) -> bool:
    """Whether a forced tool is asked for as structured output, since it can't be forced."""
    wanted = traits.structured and not traits.forced_tool and traits.tools
    return wanted and forced_tool(request) is not None


def answer_schema(request: Request, traits: Traits) -> Json | None:
    """The schema of the answer. Before Gemini 3 it can't stand beside tools."""
    if is_schema_for_tool(request, traits):
        tool = forced_tool(request)
        return None if tool is None else tool.parameters
    if request.output_schema is None or not traits.structured:
        return None
    beside_tools = traits.tools and bool(request.tools)
    # `needs_signatures` is the trait of Gemini 3 and later.
    return None if beside_tools and not traits.needs_signatures else request.output_schema.schema


def lower_generation(request: Request, traits: Traits, schema: Json | None) -> GenerationConfig:
    """How the answer is made."""
    return GenerationConfig(
        max_output_tokens=request.max_output,
        # Gemini refuses the whole request over one stop sequence too many.
        stop_sequences=[stop for stop in request.stop if stop][:MAX_STOPS] or None,
        temperature=request.temperature if traits.sampling else None,
        response_mime_type=None if schema is None else "application/json",
        response_json_schema=None if schema is None else lower_schema(schema),
        response_logprobs=True if request.logprobs and traits.logprobs else None,
        thinking_config=lower_thinking(request, traits),
    )


def lower_thinking(request: Request, traits: Traits) -> ThinkingConfig | None:
    """How hard to think. Thoughts are always asked for, unless there shall be none."""
    effort = request.effort
    if is_forced(request, traits) and not traits.forced_tool_thinking:
        effort = "off"
    shown = True if effort != "off" else None
    snapped = None if effort is None else snap(effort, traits.efforts)
    match traits.thinking:
        case "level":
            level = None if snapped is None else LEVELS[snapped]
            return ThinkingConfig(include_thoughts=shown, thinking_level=level)
        case "budget":
            budget = None if snapped is None else BUDGETS[snapped]
            if effort == "off" and snapped != "off":
                budget = LEAST_BUDGET
            return ThinkingConfig(include_thoughts=shown, thinking_budget=budget)
        case _:
            return None
