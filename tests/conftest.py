"""What every test shares."""

import os

import pytest
from hypothesis import settings

# How many examples a property gets that asks for no number of its own: each run draws others.
settings.register_profile("suite", max_examples=int(os.environ.get("RECTO_EXAMPLES", "40")))
settings.load_profile("suite")

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may use the keys of whoever runs it."""
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
