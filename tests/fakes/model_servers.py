"""Model servers as people run them at home: each lists its models in its very own form."""

import hashlib
from typing import Any, Literal

from tests.fakes.providers import ChatServer, Exchange, Incoming, Reply
from tests.fakes.providers.openai_errors import error
from tests.fakes.providers.provider import json_reply

Kind = Literal["ollama", "lmstudio", "vllm", "llamacpp"]
OWNERS = {"ollama": "library", "lmstudio": "organization_owner", "vllm": "vllm"}


class ModelServer(ChatServer):
    """Ollama, LM Studio, vLLM or llama.cpp."""

    def __init__(self, kind: Kind, *models: str, key: str = "") -> None:
        super().__init__(
            {key: "account-1"} if key else None,
            flavour="ollama" if kind in ("ollama", "llamacpp") else kind,
        )
        self.kind = kind
        self.models = list(models)
        self._key = key

    def authenticate(self, incoming: Incoming) -> str:
        if self._key and incoming.headers.get("authorization") != f"Bearer {self._key}":
            raise error("Incorrect API key provided.", status=401, code="invalid_api_key")
        return "local"

    def route(self, exchange: Exchange) -> Reply:
        match exchange.incoming.method, exchange.incoming.path:
            case "GET", "/v1/models":
                return json_reply(self._list())
            case "GET", "/api/tags" if self.kind in ("ollama", "llamacpp"):
                return json_reply(self._tags())
            case _:
                return super().route(exchange)

    def _list(self) -> dict[str, Any]:
        if self.kind == "llamacpp":
            return self._tags()
        rows = [{"id": model, "object": "model", **self._facts(model)} for model in self.models]
        return {"object": "list", "data": rows}

    def _facts(self, model: str) -> dict[str, Any]:
        facts: dict[str, Any] = {"owned_by": OWNERS[self.kind]}
        if self.kind == "vllm":
            facts |= {"root": model, "parent": None, "max_model_len": 16384, "permission": []}
        return facts if self.kind == "lmstudio" else {"created": 1746405464, **facts}

    def _tags(self) -> dict[str, Any]:
        tags = [tag(model) for model in self.models]
        if self.kind == "ollama":
            return {"models": tags}
        rows = [
            {
                "id": model,
                "object": "model",
                "created": 1746405464,
                "owned_by": "llamacpp",
                "meta": {"vocab_type": 2, "n_vocab": 151936, "n_ctx_train": 40960},
            }
            for model in self.models
        ]
        return {"models": tags, "object": "list", "data": rows}


def tag(model: str) -> dict[str, Any]:
    """A model as Ollama tells it."""
    family = "nomic-bert" if "embed" in model else "qwen3"
    return {
        "name": model,
        "model": model,
        "modified_at": "2026-05-04T17:37:44.706015396-07:00",
        "size": 2019393189,
        "digest": hashlib.sha256(model.encode()).hexdigest(),
        "details": {
            "parent_model": "",
            "format": "gguf",
            "family": family,
            "families": [family],
            "parameter_size": "8.2B",
            "quantization_level": "Q4_K_M",
        },
    }
