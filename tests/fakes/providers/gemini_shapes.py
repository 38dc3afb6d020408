"""The exact keys of a Gemini request, in either spelling, and how errors are told."""

import re
from typing import Any

from tests.fakes.providers.faults import Fault
from tests.fakes.providers.provider import Refusal, Refused
from tests.fakes.providers.shapes import (
    Problem,
    Shape,
    anything,
    boolean,
    bracketed,
    free_object,
    integer,
    is_array,
    is_object,
    items,
    literal,
    number,
    record,
    text,
)

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
FREE = frozenset(
    ("args", "response", "parameters", "parametersJsonSchema", "parameters_json_schema")
    + ("responseSchema", "response_schema", "responseJsonSchema", "response_json_schema", "labels")
)
DATA = ("text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode") + (
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)

BLOB = record({"mimeType": text(), "data": text()}, {"displayName": text()})
FILE = record({"fileUri": text()}, {"mimeType": text(), "displayName": text()})
PART = record(
    None,
    {
        "text": text(),
        "thought": boolean,
        "thoughtSignature": text(),
        "inlineData": BLOB,
        "fileData": FILE,
        "functionCall": record({"name": text()}, {"id": text(), "args": free_object}),
        "functionResponse": record(
            {"name": text(), "response": free_object},
            {
                "id": text(),
                "parts": items(record(None, {"inlineData": BLOB, "fileData": FILE})),
                "willContinue": boolean,
                "scheduling": text(),
            },
        ),
        "executableCode": free_object,
        "codeExecutionResult": free_object,
        "toolCall": free_object,
        "toolResponse": free_object,
        "videoMetadata": free_object,
        "mediaResolution": free_object,
    },
)
CONTENT = record(None, {"role": text(), "parts": items(PART)})
DECLARATION = record(
    {"name": text()},
    {
        "description": text(),
        "parameters": free_object,
        "parametersJsonSchema": anything,
        "response": free_object,
        "responseJsonSchema": anything,
        "behavior": text(),
    },
)
TOOL = record(
    None,
    {
        "functionDeclarations": items(DECLARATION, max_len=512),
        "googleSearch": free_object,
        "urlContext": free_object,
        "codeExecution": free_object,
    },
)
TOOL_CONFIG = record(
    None,
    {
        "functionCallingConfig": record(
            None,
            {
                "mode": literal("AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"),
                "allowedFunctionNames": items(text()),
            },
        ),
        "includeServerSideToolInvocations": boolean,
    },
)
GENERATION = record(
    None,
    {
        "maxOutputTokens": integer(1),
        "stopSequences": items(text(), max_len=5),
        "candidateCount": integer(1, 8),
        "temperature": number(0, 2),
        "topP": number(0, 1),
        "topK": number(0, 1000),
        "seed": integer(),
        "responseMimeType": text(),
        "responseSchema": free_object,
        "responseJsonSchema": anything,
        "responseModalities": items(text()),
        "mediaResolution": text(),
        "responseLogprobs": boolean,
        "logprobs": integer(0, 20),
        "presencePenalty": number(-2, 2),
        "frequencyPenalty": number(-2, 2),
        "thinkingConfig": record(
            None,
            {
                "includeThoughts": boolean,
                "thinkingLevel": literal("MINIMAL", "LOW", "MEDIUM", "HIGH"),
                "thinkingBudget": integer(-1),
            },
        ),
    },
)
_fields: dict[str, Shape] = {
    "systemInstruction": CONTENT,
    "tools": items(TOOL),
    "toolConfig": TOOL_CONFIG,
    "safetySettings": items(record({"category": text(), "threshold": text()})),
    "cachedContent": text(),
    "serviceTier": text(),
    "labels": free_object,
    "store": boolean,
    "continuationToken": text(),
    "generationConfig": GENERATION,
}
REQUEST = record({"contents": items(CONTENT)}, _fields)
COUNT = record(
    None,
    {
        "contents": items(CONTENT),
        "generateContentRequest": record(
            {"model": text(r"^models/.+"), "contents": items(CONTENT)}, _fields
        ),
    },
)


def camel(value: Any) -> Any:
    """A request with its field names in camelCase, as the API reads both spellings."""
    if is_object(value):
        return {_name(k): v if k in FREE else camel(v) for k, v in value.items()}
    return [camel(item) for item in value] if is_array(value) else value


def _name(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])_([a-z])", lambda found: found[1].upper(), key)


def refused(status: int, message: str, *details: dict[str, Any]) -> Refused:
    """An error as this API tells it."""
    error: dict[str, Any] = {"code": status, "message": message}
    error["status"] = STATUSES.get(status, "UNKNOWN")
    if details:
        error["details"] = list(details)
    return Refused(Refusal(status, {"error": error}))


def bad(message: str) -> Refused:
    """A bad request."""
    return refused(400, message)


def of_problem(problem: Problem) -> Refused:
    """A wrong shape as this API tells it."""
    where = bracketed(problem.path)
    if problem.kind == "extra":
        parent = bracketed(problem.path[:-1])
        at = f" at '{parent}'" if parent else ""
        message = f'Unknown name "{problem.path[-1]}"{at}: Cannot find field.'
    elif problem.kind == "missing":
        message = f"* GenerateContentRequest.{where}: required field is missing"
        return bad(message)
    else:
        message = f"Invalid value at '{where}' ({problem.expected}), {problem.got!r}"
    violation = {"field": where, "description": f"Invalid JSON payload received. {message}"}
    detail = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation]}
    return refused(400, f"Invalid JSON payload received. {message}", detail)


def failure_of(fault: Fault) -> Refusal:
    """The error body of a scripted fault."""
    details: list[dict[str, Any]] = []
    if fault.code:
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        details.append({"@type": kind, "reason": fault.code, "domain": "googleapis.com"})
    if fault.retry_delay:
        kind = "type.googleapis.com/google.rpc.RetryInfo"
        details.append({"@type": kind, "retryDelay": fault.retry_delay})
    status = fault.status or 500
    found = refused(status, fault.message or f"A scripted error {status}", *details).refusal
    body = [found.body] if "array" in fault.traps else found.body
    return Refusal(status, body, fault.headers)
