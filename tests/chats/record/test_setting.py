"""What a turn stands on is kept whole, and without the key."""

import json
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import msgspec
import pytest

from recto.access import Access, Models
from recto.agent import TurnLimits
from recto.chats.history.entries import System
from recto.chats.prompts.base import PromptBase
from recto.chats.turns.snapshot import TurnSnapshot, plain
from recto.clock import SystemClock
from recto.config import Home
from recto.messages import ToolSpec
from tests.chats.record.runs import KEYS, MODELS

GROUND = PromptBase(
    System("You are \ud800 here.", "hash"),
    (ToolSpec("read", "Reads.", {"type": "object", "z": 1, "a": [None, True, 0.1]}),),
    7,
    ("A note.",),
)


def access_to(model: str, home: Path) -> Access:
    keys: dict[str, str] = dict.fromkeys(KEYS, "a-secret-key")
    models = Models(Home(home), keys, clock=SystemClock(), zone=UTC, has_builtin=False)
    access = models.resolve(model)
    assert access is not None
    return access


@pytest.mark.parametrize("model", MODELS.values())
def test_a_setting_comes_back_as_it_was_without_the_key(model: str, tmp_path: Path) -> None:
    access = access_to(model, tmp_path)
    snapshot = TurnSnapshot(access, GROUND, TurnLimits(3, 4.5, 6), ("pin",), ("write_file",))

    kept = json.dumps(plain(snapshot))

    assert "a-secret-key" not in kept
    bare = replace(access, key=None, provider=replace(access.provider, headers={}))
    assert msgspec.convert(json.loads(kept), TurnSnapshot) == replace(snapshot, access=bare)
    tool = msgspec.convert(json.loads(kept), TurnSnapshot).ground.tools[0]
    assert list(tool.parameters) == ["type", "z", "a"]
