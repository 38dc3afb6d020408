"""The API's own description, read by Schemathesis: what can be asked, and whether an answer fits.

Schemathesis says too little about its types for a strict checker; here stands what we use of it.
"""

from collections.abc import Mapping
from datetime import timedelta
from importlib import import_module
from typing import Any, Literal, Protocol, cast

import httpx
from hypothesis.strategies import SearchStrategy

from recto.server import build_api, describe_api

schemathesis: Any = import_module("schemathesis")
checks: Any = import_module("schemathesis.specs.openapi.checks")
general: Any = import_module("schemathesis.checks")
failures: Any = import_module("schemathesis.core.failures")

CHECKS = [
    general.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
CAPS: Mapping[str, int] = {"maxLength": 300, "maxItems": 4}


class Case(Protocol):
    """A request that is not sent yet."""

    method: str
    path_parameters: dict[str, Any]
    headers: dict[str, Any]
    query: dict[str, Any]
    body: Any
    media_type: str | None

    @property
    def formatted_path(self) -> str:
        """The path with its parameters."""
        ...

    def as_transport_kwargs(self, base_url: str) -> dict[str, Any]:
        """The request as the package `requests` takes it."""
        ...

    def validate_response(self, response: httpx.Response, checks: list[Any]) -> None:
        """Raise a group of failures unless the answer fits."""
        ...


class Operation(Protocol):
    """A method of a path."""

    label: str
    body: Any

    def iter_parameters(self) -> Any:
        """What its address and its headers take."""
        ...

    def as_strategy(self, generation_mode: Any) -> SearchStrategy[Case]:
        """Requests for it."""
        ...

    def Case(self, **parts: Any) -> Case:
        """One request for it."""
        ...


def load() -> tuple[dict[str, Operation], dict[str, Operation]]:
    """The operations as described, and with short texts and lists: each by its method and path."""
    described = describe_api(build_api(version="0"))
    return by_label(described), by_label(capped(described))


def by_label(description: dict[str, Any]) -> dict[str, Operation]:
    """The operations of a description."""
    schema = schemathesis.openapi.from_dict(description)
    return {
        all_operation.ok().label: all_operation.ok()
        for all_operation in schema.get_all_operations()
    }


def capped(value: Any) -> Any:
    """A description without the large bounds: a text of 64,000 characters takes seconds to draw."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {
            name: min(field, CAPS[name])
            if name in CAPS and isinstance(field, int)
            else capped(field)
            for name, field in fields.items()
        }
    if isinstance(value, list):
        return [capped(item) for item in cast("list[Any]", value)]
    return value


DESCRIBED, DRAWN = load()
TAKING = [
    label for label, value in DESCRIBED.items() if list(value.iter_parameters()) or list(value.body)
]
"""The operations that take something: a request for one of them can be wrong."""


def requests_for(label: str, kind: Literal["positive", "negative"]) -> SearchStrategy[Case]:
    """Requests as the description has them, or as it has them not."""
    return DRAWN[label].as_strategy(generation_mode=schemathesis.GenerationMode(kind))


def check(case: Case, answer: httpx.Response) -> None:
    """Hold an answer to the description."""
    answer.elapsed = timedelta()
    try:
        case.validate_response(answer, checks=CHECKS)
    except failures.FailureGroup as group:
        # As it is it would end the loop that the servers run in: it is no plain exception.
        wrong = "\n".join(
            f"{exception.title}: {exception.message}" for exception in group.exceptions
        )
        request = answer.request
        sent = f"{request.method} {request.url} {request.content!r}"
        said = f"{answer.status_code} {answer.text[:2000]}"
        raise AssertionError(f"{wrong}\n{sent}\n{said}") from None
