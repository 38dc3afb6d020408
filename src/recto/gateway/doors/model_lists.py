"""The list of models, in the shape of the API that a client speaks."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from recto.access import DeployedModel, ProtocolId
from recto.gateway.caller import Caller

GEMINI_METHODS = ["generateContent", "streamGenerateContent", "countTokens"]


def models_for(caller: Caller, models: Iterable[DeployedModel]) -> list[tuple[str, DeployedModel]]:
    """The models that a caller may ask for, each under the name that they ask by."""
    by_name = {model.id: model for model in models}
    by_name |= {model.first.model: model for model in by_name.values()} | by_name
    mapped = {name: by_name.get(target) for name, target in caller.model_map.items()}
    offered: dict[str, DeployedModel | None] = {model.id: model for model in models} | mapped
    if caller.models is not None:
        offered = {name: offered.get(name) or by_name.get(name) for name in sorted(caller.models)}
    return [(name, model) for name, model in offered.items() if model is not None]


def write_model_list(
    protocol: ProtocolId, models: Sequence[tuple[str, DeployedModel]]
) -> dict[str, Any]:
    """The whole list."""
    rows = [write_model(protocol, name, model) for name, model in models]
    match protocol:
        case "anthropic-messages":
            return {
                "data": rows,
                "has_more": False,
                "first_id": rows[0]["id"] if rows else None,
                "last_id": rows[-1]["id"] if rows else None,
            }
        case "gemini":
            return {"models": rows}
        case _:
            return {"object": "list", "data": rows}


def write_model(protocol: ProtocolId, name: str, model: DeployedModel) -> dict[str, Any]:
    """One model. When it was made nobody here knows: the day that time began is told."""
    access = model.first
    match protocol:
        case "anthropic-messages":
            return {
                "type": "model",
                "id": name,
                "display_name": model.name,
                "created_at": datetime.fromtimestamp(0, UTC).isoformat().replace("+00:00", "Z"),
                "max_input_tokens": access.window,
                "max_tokens": access.max_output,
            }
        case "gemini":
            return {
                "name": f"models/{name}",
                "displayName": model.name,
                "version": "1",
                "inputTokenLimit": access.window,
                "outputTokenLimit": access.max_output,
                "supportedGenerationMethods": GEMINI_METHODS,
                "thinking": access.traits.thinking != "none",
            }
        case _:
            return {
                "id": name,
                "object": "model",
                "created": 0,
                "owned_by": access.provider.id,
                "recto": described(model),
            }


def described(model: DeployedModel) -> dict[str, Any]:
    """What only Recto reads: whose abilities the model has, and what it costs."""
    access = model.first
    return {
        "name": model.name,
        "provider": access.provider.id,
        "model": access.model,
        "protocol": access.provider.protocol,
        "window": access.window,
        "maxOutput": access.max_output,
        "price": None if access.price is None else access.price.record(),
    }
