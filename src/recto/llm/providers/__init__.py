"""Who runs models: addresses, protocols and key names, as data."""

from recto.llm.providers.known import PROVIDERS, compatible
from recto.llm.providers.provider import Provider

__all__ = ["PROVIDERS", "Provider", "compatible"]
