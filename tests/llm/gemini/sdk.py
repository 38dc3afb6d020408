"""Google's own client, talking to a function instead of a server."""

import warnings
from collections.abc import Callable
from typing import Any

import httpx

with warnings.catch_warnings():
    # Its source has escapes that newer Pythons warn about when they compile it.
    warnings.simplefilter("ignore")
    from google import genai
    from google.genai import errors, types

__all__ = ["ask", "ask_stream", "errors", "types"]

Answer = Callable[[httpx.Request], httpx.Response]
MODEL = "gemini-3.8-flash"


def models(answer: Answer) -> Any:
    """The client's models. Untyped: its own types name packages that are not installed."""
    transport = httpx.MockTransport(answer)
    options = types.HttpOptions(httpx_client=httpx.Client(transport=transport))
    return genai.Client(api_key="none", http_options=options).models


def ask(answer: Answer, contents: Any = "Hi.", **config: Any) -> types.GenerateContentResponse:
    """An answer, whole."""
    settings = types.GenerateContentConfig(**config)
    return models(answer).generate_content(model=MODEL, contents=contents, config=settings)


def ask_stream(answer: Answer) -> list[types.GenerateContentResponse]:
    """An answer, streamed."""
    return list(models(answer).generate_content_stream(model=MODEL, contents="Hi."))
