"""The addresses of the doors, and which protocol a client speaks there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from recto.access import ProtocolId

Action = Literal["answer", "count", "compact", "embed", "models", "interact", "stored"]

GEMINI_METHODS: dict[str, Action] = {
    "generateContent": "answer",
    "streamGenerateContent": "answer",
    "countTokens": "count",
}
GEMINI = re.compile(r"/v1(?:beta|alpha)?/models/(?P<model>[^/:]+):(?P<method>\w+)")
MODELS = re.compile(r"/(?P<version>v1|v1beta|v1alpha)/models(?:/(?P<model>.+))?")
STORED = re.compile(r"/v1/responses/[^/]+(?:/\w+)?")
PATHS: dict[str, tuple[ProtocolId, Action]] = {
    "/v1/messages": ("anthropic-messages", "answer"),
    "/v1/messages/count_tokens": ("anthropic-messages", "count"),
    "/v1/responses": ("openai-responses", "answer"),
    "/v1/responses/input_tokens": ("openai-responses", "count"),
    "/v1/responses/compact": ("openai-responses", "compact"),
    "/v1/chat/completions": ("openai-chat", "answer"),
    "/v1/embeddings": ("openai-chat", "embed"),
    "/v1/interactions": ("gemini", "interact"),
    "/v1beta/interactions": ("gemini", "interact"),
}


@dataclass(frozen=True, slots=True)
class Route:
    """What is asked for at an address, and in which protocol."""

    protocol: ProtocolId
    action: Action
    path: str
    """The address for a provider of the same protocol; with a place for the model's name."""
    model: str | None = None
    """The model, where the address names it."""
    is_streamed: bool | None = None
    """Whether the address says that the answer is streamed; None: the body does."""

    @property
    def method(self) -> str:
        """The only method."""
        return "GET" if self.action == "models" else "POST"


FIXED = {path: Route(protocol, action, path) for path, (protocol, action) in PATHS.items()}


def find_route(path: str, headers: Mapping[str, str]) -> Route | None:
    """The door at an address; None: there is none."""
    if path in FIXED:
        return FIXED[path]
    if asked := GEMINI.fullmatch(path):
        method = asked["method"]
        if method not in GEMINI_METHODS:
            return None
        is_streamed = method == "streamGenerateContent"
        where = f"/v1beta/models/{{model}}:{method}"
        return Route("gemini", GEMINI_METHODS[method], where, unquote(asked["model"]), is_streamed)
    if listed := MODELS.fullmatch(path):
        is_google = listed["version"] != "v1"
        protocol = "gemini" if is_google else spoken(headers)
        model = None if listed["model"] is None else unquote(listed["model"])
        return Route(protocol, "models", path, model)
    if STORED.fullmatch(path):
        return Route("openai-responses", "stored", path)
    return None


def spoken(headers: Mapping[str, str]) -> ProtocolId:
    """The protocol that a client's headers tell of, at an address that several share."""
    if "x-goog-api-key" in headers or "x-goog-api-client" in headers:
        return "gemini"
    if "anthropic-version" in headers or "x-api-key" in headers:
        return "anthropic-messages"
    return "openai-chat"
