"""The API's description (OpenAPI), made when somebody asks for it."""

from typing import Any

from fastapi import FastAPI

from recto.server.responses import describe
from recto.server.schemas.base import ProblemBody

# Whatever takes a body can get one that can't be read, that never ends, or that is too large.
OF_ANY_BODY = (400, 408, 413)


def describe_api(api: FastAPI) -> dict[str, Any]:
    """Every route and body. Problems are named by reference: no route answers one as its own."""
    description = api.openapi()
    schemas = description.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = ProblemBody.model_json_schema(mode="validation")
    for operations in description["paths"].values():
        for operation in operations.values():
            if "requestBody" in operation:
                for status in OF_ANY_BODY:
                    operation["responses"].setdefault(str(status), describe(status))
    return description
