"""What every test shares."""

import os

import pytest
from hypothesis import settings

# The suite draws the same examples each time: what it says is about the change, not about luck.
# `make soak` asks for many, and draws others each time.
EXAMPLES = os.environ.get("RECTO_EXAMPLES")
settings.register_profile("suite", max_examples=int(EXAMPLES or "40"), derandomize=EXAMPLES is None)
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
