"""A neutral request as a Chat Completions body."""

from dataclasses import replace

from recto.llm.encoding import encode
from recto.llm.names import LONGEST, wire_id, wire_name
from recto.llm.protocols.openai_chat.body import (
    Body,
    Choice,
    Function,
    FunctionName,
    FunctionTool,
    JsonSchema,
    NamedTool,
    SchemaFormat,
    StreamOptions,
    WireEffort,
)
from recto.llm.protocols.openai_chat.lower_messages import lower_messages
from recto.llm.protocols.openai_chat.schemas import is_strict, lower_parameters, lower_schema
from recto.llm.traits import Traits, snap
from recto.llm.wire import WireRequest
from recto.messages import Effort, Origin, OutputSchema, Request, ToolChoice, ToolSpec

PATH = "/v1/chat/completions"
MOST_STOPS = 4


def lower(request: Request, traits: Traits, origin: Origin) -> WireRequest:
    """Write a request. The same conversation always gives the same bytes."""
    return WireRequest(PATH, encode(lower_body(request, traits, origin)), {})


def lower_body(request: Request, traits: Traits, origin: Origin) -> Body:
    """The body, before it is JSON."""
    request = allowed(request, traits)
    effort = lower_effort(request, traits)
    reasons = traits.thinking == "effort" and effort != "none"
    is_openai_limit = traits.output_field == "max_completion_tokens"
    return Body(
        model=request.model,
        messages=lower_messages(request, traits, origin),
        tools=[lower_tool(tool) for tool in request.tools] or None,
        tool_choice=lower_choice(request.tool_choice),
        parallel_tool_calls=False if request.tools and request.tool_choice.single else None,
        max_completion_tokens=request.max_output if is_openai_limit else None,
        max_tokens=None if is_openai_limit else request.max_output,
        reasoning_effort=effort,
        response_format=lower_format(request.output_schema) if traits.structured else None,
        # OpenAI's reasoning models refuse stop, temperature and logprobs while they think.
        stop=None if reasons else lower_stop(request.stop),
        temperature=request.temperature if traits.sampling and not reasons else None,
        logprobs=True if request.logprobs and traits.logprobs and not reasons else None,
        prompt_cache_key=lower_key(request.cache_key),
        stream=True if request.stream else None,
        stream_options=StreamOptions(include_usage=True)
        if request.stream and traits.usage_option
        else None,
    )


def allowed(request: Request, traits: Traits) -> Request:
    """The request, asking for tools only in ways that the model knows."""
    tools = request.tools if traits.tools else ()
    choice = request.tool_choice
    if not request.tools and choice == ToolChoice():
        return request
    if not tools or (choice.mode == "one" and all(tool.name != choice.name for tool in tools)):
        return replace(request, tools=tools, tool_choice=ToolChoice(single=choice.single))
    if choice.mode not in ("any", "one") or traits.forced_tool:
        return replace(request, tools=tools)
    wanted = [tool for tool in tools if choice.mode == "any" or tool.name == choice.name]
    if len(wanted) == 1 and traits.structured:
        schema = OutputSchema(wanted[0].name, lower_parameters(wanted[0].parameters))
        return replace(request, tools=(), tool_choice=ToolChoice(), output_schema=schema)
    return replace(request, tools=tools, tool_choice=ToolChoice(single=choice.single))


def lower_tool(tool: ToolSpec) -> FunctionTool:
    """A tool; without `strict`, so that every schema is accepted."""
    parameters = lower_parameters(tool.parameters)
    return FunctionTool(Function(wire_name(tool.name), tool.description or None, parameters))


def lower_choice(choice: ToolChoice) -> Choice | None:
    """Whether tools may or must be called; the model's own choice is not written."""
    match choice.mode:
        case "auto":
            return None
        case "none":
            return "none"
        case "any":
            return "required"
        case "one":
            return NamedTool(FunctionName(wire_name(choice.name or "")))


def lower_effort(request: Request, traits: Traits) -> WireEffort | None:
    """How hard to think. This endpoint refuses `max`, whatever the model."""
    if traits.thinking != "effort":
        return None
    accepted: tuple[Effort, ...] = tuple(level for level in traits.efforts if level != "max")
    wanted = request.effort
    if request.tool_choice.mode in ("any", "one") and not traits.forced_tool_thinking:
        wanted = "off" if "off" in accepted else None
    level = snap(wanted, accepted) if wanted else None
    if level == "off":
        return "none"
    return level


def lower_format(schema: OutputSchema | None) -> SchemaFormat | None:
    """The schema of the answer, strict where its rules allow that."""
    if schema is None:
        return None
    strict = True if is_strict(schema.schema) else None
    return SchemaFormat(JsonSchema(wire_name(schema.name), lower_schema(schema.schema), strict))


def lower_stop(stop: tuple[str, ...]) -> list[str] | None:
    """The first sequences to stop at, as many as are allowed."""
    return [item for item in stop if item][:MOST_STOPS] or None


def lower_key(key: str | None) -> str | None:
    """The conversation's name; one too long is cut and ends in a hash."""
    return key if not key or len(key) <= LONGEST else wire_id(key)
