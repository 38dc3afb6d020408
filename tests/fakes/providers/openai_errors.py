"""How OpenAI authenticates and refuses, on both of its APIs."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from tests.fakes.providers.faults import Fault
from tests.fakes.providers.models import Gpt
from tests.fakes.providers.provider import Incoming, Refusal, Refused
from tests.fakes.providers.schemas import breaks_openai_strict, not_a_schema
from tests.fakes.providers.shapes import Problem, bracketed, is_array, is_object

INVALID = "invalid_request_error"
TYPES = {
    401: INVALID,
    403: "permission_error",
    429: "rate_limit_error",
    503: "service_unavailable_error",
}
CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "credit_balance_exhausted")
DATA_URL = re.compile(r"data:([\w.+/-]+);base64,(.*)", re.DOTALL)
NAMES: dict[type[Any], str] = {
    int: "an integer",
    float: "a number",
    str: "a string",
    bool: "a boolean",
    list: "an array",
}
NAME = r"^[a-zA-Z0-9_-]+$"


def error(
    message: str, *, status: int = 400, param: str | None = None, code: str | None = None
) -> Refused:
    """An error as these APIs tell it."""
    body = {"message": message, "type": TYPES.get(status, INVALID), "param": param, "code": code}
    return Refused(Refusal(status, {"error": body}))


def account_of(incoming: Incoming, keys: Mapping[str, str]) -> str:
    """The account of a bearer key, or Refused."""
    key = incoming.headers.get("authorization", "").removeprefix("Bearer ")
    if not key:
        raise error(
            "You didn't provide an API key. You need to provide your API key in an Authorization"
            " header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
            status=401,
        )
    if key not in keys:
        shown = f"{key[:3]}***{key[-2:]}"
        told = f"Incorrect API key provided: {shown}."
        raise error(told, status=401, code="invalid_api_key")
    return keys[key]


def of_problem(problem: Problem) -> Refused:
    """A wrong shape as these APIs tell it."""
    where = bracketed(problem.path)
    match problem.kind:
        case "missing":
            told = f"Missing required parameter: '{where}'."
            return error(told, param=where, code="missing_required_parameter")
        case "extra":
            return error(f"Unknown parameter: '{where}'.", param=where, code="unknown_parameter")
        case "type":
            got = _kind(problem.got)
            told = (
                f"Invalid type for '{where}': expected {problem.expected}, but got {got} instead."
            )
            return error(told, param=where, code="invalid_type")
        case "tag" | "value":
            return _of_value(problem, where)


def _kind(value: object) -> str:
    return NAMES.get(type(value), "null" if value is None else "an object")


def _of_value(problem: Problem, where: str) -> Refused:
    if problem.allowed:
        told = ", ".join(f"'{item}'" for item in problem.allowed)
        message = f"Invalid value: '{problem.got}'. Supported values are: {told}."
        return error(message, param=where, code="invalid_value")
    got = problem.got
    if is_array(got):
        code = "empty_array" if not got else "array_above_max_length"
        return error(f"Invalid '{where}': {problem.expected}.", param=where, code=code)
    if isinstance(got, str) and problem.expected.startswith("at most"):
        limit = problem.expected.split()[2]
        message = (
            f"Invalid '{where}': string too long. Expected a string with maximum length {limit},"
            f" but got a string with length {len(got)} instead."
        )
        return error(message, param=where, code="string_above_max_length")
    if isinstance(got, str) and problem.expected.startswith("at least"):
        message = f"Invalid '{where}': empty string."
        return error(message, param=where, code="empty_string")
    code = "invalid_value" if isinstance(got, str) else "integer_below_min_value"
    message = f"Invalid '{where}': '{got}'. Expected a value that is {problem.expected}."
    return error(message, param=where, code=code)


def check_effort(effort: str | None, row: Gpt, param: str) -> str:
    """The effort a request gets, or Refused."""
    if effort is None:
        return row.default
    if not row.efforts:
        told = f"Unsupported parameter: '{param}' is not supported with this model."
        raise error(told, param=param, code="unsupported_parameter")
    if effort not in row.efforts:
        levels = ", ".join(f"'{item}'" for item in row.efforts)
        told = (
            f"Unsupported value: '{param}' does not support '{effort}' with this model."
            f" Supported values are: {levels}."
        )
        raise error(told, param=param, code="unsupported_value")
    return effort


def check_unreasoned(body: dict[str, Any], names: tuple[str, ...], *, reasons: bool) -> None:
    """Refuse what is not accepted while a model reasons."""
    for name in names:
        if reasons and body.get(name) is not None:
            told = f"Unsupported parameter: '{name}' is not supported with this model."
            raise error(told, param=name, code="unsupported_parameter")


def check_function(function: dict[str, Any], where: str) -> None:
    """Refuse a function whose schema is none, or breaks the rules of strict."""
    schema = function.get("parameters")
    name = function["name"]
    if schema is None:
        return
    told = f"Invalid schema for function '{name}'"
    if not is_object(schema) or schema.get("type") != "object":
        broken = "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'."
    else:
        broken = not_a_schema(schema)
        broken = broken or (breaks_openai_strict(schema) if function.get("strict") else None)
    if broken:
        param = f"{where}.parameters"
        raise error(f"{told}: {broken}", param=param, code="invalid_function_parameters")


def check_schema(name: str, schema: Any, *, strict: bool, param: str) -> None:
    """Refuse a response format whose schema is none, or breaks the rules of strict."""
    broken = not_a_schema(schema) or (breaks_openai_strict(schema) if strict else None)
    if broken:
        told = f"Invalid schema for response_format '{name}': {broken}"
        raise error(told, param=param, code="invalid_json_schema")


def check_image(url: str, param: str) -> None:
    """Refuse an address that is no picture."""
    if url.startswith(("https://", "http://")):
        return
    found = DATA_URL.fullmatch(url)
    if not found:
        told = f"Invalid '{param}'. Expected a valid URL, but got a value with an invalid format."
        raise error(told, param=param, code="invalid_value")
    if found[1] not in {"image/png", "image/jpeg", "image/gif", "image/webp"}:
        told = (
            "You uploaded an unsupported image. Please make sure your image has one of the"
            " following formats: ['png', 'jpeg', 'gif', 'webp']."
        )
        raise error(told, param=param, code="invalid_image_format")
    if not decodes(found[2]):
        raise error("Invalid base64 image_url.", param=param, code="invalid_base64")


def decodes(data: str) -> bool:
    """Whether a text is base64 of something."""
    try:
        return bool(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        return False


def check_file_data(data: str, param: str) -> None:
    """Refuse file data that is no data URL."""
    found = DATA_URL.fullmatch(data)
    if not found or not decodes(found[2]):
        told = f"Invalid '{param}'. Expected a base64-encoded data URL with a MIME type."
        raise error(told, param=param, code="invalid_value")


def failure_of(fault: Fault) -> Refusal:
    """The error body of a scripted fault."""
    status = fault.status or 500
    code = fault.code or CODES.get(status)
    kind = code if code in QUOTA else TYPES.get(status, INVALID if status < 500 else "server_error")
    message = fault.message or f"A scripted error {status}"
    body = {"message": message, "type": kind, "param": None, "code": code}
    return Refusal(status, {"error": body}, fault.headers)


def models_page(names: list[str]) -> dict[str, Any]:
    """The list of models."""
    data = [
        {"id": name, "object": "model", "created": 1_767_225_600, "owned_by": "openai"}
        for name in names
    ]
    return {"object": "list", "data": data}
