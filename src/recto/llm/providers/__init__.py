"""Who runs models: addresses, protocols and key names, as data."""

from recto.llm.providers.known import (
    LLAMA_CPP,
    LM_STUDIO,
    OLLAMA,
    PROVIDERS,
    VLLM,
    compatible,
)
from recto.llm.providers.provider import Provider

__all__ = ["LLAMA_CPP", "LM_STUDIO", "OLLAMA", "PROVIDERS", "VLLM", "Provider", "compatible"]
