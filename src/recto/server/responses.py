"""The problems a route may answer, as the API's description lists them."""

from typing import Any

Responses = dict[int | str, dict[str, Any]]


def may_answer(*statuses: int) -> Responses:
    """These statuses, besides those every route has."""
    return {status: describe(status) for status in (*ALWAYS, *statuses)}


def describe(status: int) -> dict[str, Any]:
    """One problem answer."""
    return {
        "description": MEANING[status],
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
        },
    }


ALWAYS = (401, 403, 421, 429, 503)
MEANING = {
    400: "The body can't be read",
    401: "Not signed in",
    403: "Refused",
    404: "Not found",
    408: "The body came too slowly",
    409: "Not possible now",
    412: "Changed meanwhile",
    413: "Too large",
    415: "Not text",
    421: "Wrong host",
    422: "Not understood",
    428: "A version is needed",
    429: "Too many wrong attempts",
    503: "Not possible just now",
    507: "The disk is full",
}
NOT_SIGNED_IN = may_answer()
