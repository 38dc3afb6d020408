"""What every test shares."""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests import network_guard
from tests.examples import ASKED, examples

# The suite draws the same examples each time: what it says is about the change, not about luck.
# `make soak` asks for many, and draws others each time.
# How long an example takes says more about the machine than about the code.
settings.register_profile(
    "suite",
    max_examples=examples(20),
    derandomize=ASKED is None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")

network_guard.install()

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY")


def pytest_configure() -> None:
    """Thousands of tests are collected and kept: to look for garbage meanwhile finds none."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What was loaded stays until the end, and is never looked at again."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def no_network() -> Iterator[None]:
    """No test may reach another computer, not even one that swallows the refusal."""
    yield
    tried = [*network_guard.attempts]
    network_guard.attempts.clear()
    assert tried == []


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may use the keys of whoever runs it."""
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
