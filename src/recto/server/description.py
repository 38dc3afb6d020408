"""The API's description (OpenAPI), made when somebody asks for it."""

from typing import Any

from fastapi import FastAPI

from recto.server.schemas import ProblemBody


def describe_api(api: FastAPI) -> dict[str, Any]:
    """Every route and body. Problems are named by reference: no route answers one as its own."""
    description = api.openapi()
    schemas = description.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = ProblemBody.model_json_schema(mode="validation")
    return description
