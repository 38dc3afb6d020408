"""Writes a neutral request as the body of `POST /v1/responses`."""

from dataclasses import replace
from typing import Any

from recto.llm.names import wire_id, wire_name
from recto.llm.protocol_loader import least_output
from recto.llm.protocols.openai_responses.body import (
    Body,
    Breakpoint,
    Choice,
    ForcedFunction,
    FunctionTool,
    InputText,
    Message,
    ReasoningOptions,
    SchemaFormat,
    StreamOptions,
    TextOptions,
)
from recto.llm.protocols.openai_responses.lower_messages import ENCODER, lower_messages
from recto.llm.protocols.openai_responses.schemas import is_strict, lower_parameters
from recto.llm.protocols.openai_responses.tool_search import (
    in_namespaces,
    namespaces,
    without_searches,
)
from recto.llm.traits import Traits, snap
from recto.llm.wire import WireRequest
from recto.messages import (
    CacheMarks,
    Origin,
    OutputSchema,
    Request,
    ToolChoice,
    ToolSpec,
    encodable,
    encodable_json,
)

PATH = "/v1/responses"
MOST_MARKS = 3
"""The provider sets a fourth by itself."""
ENCRYPTED = "reasoning.encrypted_content"
LOGPROBS = "message.output_text.logprobs"


def lower(request: Request, traits: Traits, origin: Origin) -> WireRequest:
    """Write a request. What the model can't take is left out or told in words."""
    request = fitted(request, traits)
    spaces = namespaces(request, traits)
    if not spaces:
        request = replace(request, messages=without_searches(request.messages))
    reasoning = lower_reasoning(request, traits)
    is_silent = reasoning is not None and reasoning.effort == "none"
    is_thinking = traits.thinking == "effort" and not is_silent
    marks = lower_marks(request, traits)
    body = Body(
        model=request.model,
        stream=request.stream,
        # OpenAI pads each event against eavesdroppers; the padding would fill our records.
        stream_options=StreamOptions(include_obfuscation=False) if request.stream else None,
        # By default OpenAI keeps answers on its servers.
        store=False,
        max_output_tokens=max(request.max_output, least_output("openai-responses")),
        temperature=request.temperature if traits.sampling and not is_thinking else None,
        reasoning=reasoning,
        include=lower_include(request, traits, is_thinking=is_thinking) or None,
        text=lower_format(request.output_schema),
        prompt_cache_key=None if request.cache_key is None else wire_id(request.cache_key),
        instructions=None if marks.system else encodable(request.system) or None,
        tools=in_namespaces([lower_tool(tool) for tool in request.tools], spaces) or None,
        tool_choice=lower_choice(request),
        parallel_tool_calls=False if request.tools and request.tool_choice.single else None,
        input=lower_system(request, marks) + lower_messages(request, marks, traits, origin, spaces)
        or [Message(role="user", content="")],
    )
    return WireRequest(PATH, ENCODER.encode(body), {})


def fitted(request: Request, traits: Traits) -> Request:
    """The request without what the model can't do at all."""
    if not traits.tools:
        request = replace(request, tools=())
    if is_forced(request) and not traits.forced_tool:
        request = unforced(request, forced_tool(request) if traits.structured else None)
    if not traits.structured:
        request = replace(request, output_schema=None)
    return request


def is_forced(request: Request) -> bool:
    """Whether the answer must be a call."""
    must_call = request.tool_choice.mode == "any" and bool(request.tools)
    return must_call or forced_tool(request) is not None


def forced_tool(request: Request) -> ToolSpec | None:
    """The only tool that can be called and must be."""
    choice = request.tool_choice
    if choice.mode == "any" and len(request.tools) == 1:
        return request.tools[0]
    named = [tool for tool in request.tools if choice.mode == "one" and tool.name == choice.name]
    return named[0] if named else None


def unforced(request: Request, tool: ToolSpec | None) -> Request:
    """Instead of a call of `tool`, an answer that is its arguments; or just the freedom to call."""
    if tool is None:
        return replace(request, tool_choice=ToolChoice(single=request.tool_choice.single))
    schema = OutputSchema(tool.name, lower_parameters(tool.parameters))
    return replace(request, tools=(), tool_choice=ToolChoice(), output_schema=schema)


def lower_reasoning(request: Request, traits: Traits) -> ReasoningOptions | None:
    """How hard to think, in the nearest word the model knows, and the wish to see a summary."""
    if traits.thinking != "effort":
        return None
    if is_forced(request) and not traits.forced_tool_thinking:
        return ReasoningOptions(effort="none") if "off" in traits.efforts else None
    level = None if request.effort is None else snap(request.effort, traits.efforts)
    if level == "off":
        return ReasoningOptions(effort="none")
    return ReasoningOptions(effort=level, summary="auto")


def lower_include(request: Request, traits: Traits, *, is_thinking: bool) -> list[str]:
    """What the answer should hold besides words."""
    wanted: list[str] = []
    if is_thinking and traits.encrypted_reasoning:
        # Without storage, this is the only way for thoughts to go on to the next request.
        wanted.append(ENCRYPTED)
    if request.logprobs and traits.logprobs and not is_thinking:
        wanted.append(LOGPROBS)
    return wanted


def lower_format(schema: OutputSchema | None) -> TextOptions | None:
    """The schema of the answer."""
    if schema is None:
        return None
    found = encodable_json(schema.schema)
    form = SchemaFormat(name=wire_name(schema.name), schema=found, strict=is_strict(found))
    return TextOptions(format=form)


def lower_tool(tool: ToolSpec) -> FunctionTool:
    """A tool. Its schema is a wish: strict mode would refuse most of them."""
    return FunctionTool(
        name=wire_name(tool.name),
        parameters=lower_parameters(tool.parameters),
        strict=False,
        description=encodable(tool.description) or None,
    )


def lower_choice(request: Request) -> Choice | None:
    """Which tools may or must be called; None is auto."""
    choice = request.tool_choice
    if not request.tools or choice.mode == "auto":
        return None
    if choice.mode == "none":
        return "none"
    if choice.mode == "any":
        return "required"
    forced = forced_tool(request)
    return None if forced is None else ForcedFunction(name=wire_name(forced.name))


def lower_marks(request: Request, traits: Traits) -> CacheMarks:
    """The marks that can be set: the system prompt's, then those of the latest messages."""
    if not traits.cache_marks:
        return CacheMarks()
    has_system = request.cache.system and bool(request.system)
    left = MOST_MARKS - has_system
    return CacheMarks(has_system, tuple(sorted(set(request.cache.messages))[-left:]))


def lower_system(request: Request, marks: CacheMarks) -> list[Any]:
    """The system prompt as a message, which can carry a mark where instructions can't."""
    if not marks.system:
        return []
    text = InputText(
        text=encodable(request.system), prompt_cache_breakpoint=Breakpoint(mode="explicit")
    )
    return [Message(role="developer", content=[text])]
