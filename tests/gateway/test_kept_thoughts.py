"""Thoughts for clients without a field for them: kept sealed, for an hour, for the same account."""

from dataclasses import replace
from pathlib import Path

import pytest

from recto.access import Access
from recto.config import Secret
from recto.gateway import StoredThoughts
from recto.messages import (
    Finished,
    Message,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from recto.storage import Storage
from tests.access.world import ToldClock, access
from tests.fakes import CountingIds
from tests.stores import open_empty

pytestmark = pytest.mark.anyio

WAY = replace(access(), key=Secret("sk-upstream"))
MINE = ProviderData(WAY.origin, {"signature": "a-signature"})
SAID = assistant(
    Thinking("Hm.", MINE),
    Text("Yes."),
    ToolCall("c1", "read", {}, MINE),
    ToolCall("c2", "read", {}),
)


class SomeIds(CountingIds):
    """Secrets that are hex, as real ones."""

    def secret(self) -> str:
        self.given += 1
        return f"{self.given:064x}"


async def opened(tmp_path: Path, clock: ToldClock) -> Storage:
    return await open_empty(tmp_path / "recto.db", clock=clock)


def brought_back(message: Message = SAID) -> Request:
    """What a Chat client sends next: words and calls, and nothing that only providers read."""
    bare = [
        replace(part, provider=None) if isinstance(part, ToolCall) else part
        for part in message.parts
        if not isinstance(part, Thinking)
    ]
    results = [ToolResult(call.id, call.name, (Text("ok"),)) for call in message.calls]
    return Request("claude", (user("Hi"), assistant(*bare), user(*results)), 100)


async def restored(
    tmp_path: Path, *, way: Access = WAY, account: str = "a1", later_ms: int = 0
) -> Message:
    """What one worker kept, as another one finds it."""
    clock = ToldClock()
    storage = await opened(tmp_path, clock)
    try:
        kept = StoredThoughts(storage, clock=clock, ids=SomeIds())
        await kept.keep("a1", "openai-chat", WAY, Finished("tool_use", SAID))
        clock.ms += later_ms
        other = StoredThoughts(storage, clock=clock, ids=SomeIds())
        return (await other.restore(account, way, brought_back())).messages[1]
    finally:
        await storage.close()


async def test_another_worker_puts_thoughts_and_signatures_back(tmp_path: Path) -> None:
    assert await restored(tmp_path) == SAID


@pytest.mark.parametrize(
    ("way", "account", "later_ms"),
    [
        (WAY, "a2", 0),
        (replace(WAY, key=Secret("sk-another")), "a1", 0),
        (replace(WAY, model="another"), "a1", 0),
        (WAY, "a1", 60 * 60 * 1000),
    ],
    ids=["another account", "another key", "another model", "an hour later"],
)
async def test_nobody_else_gets_them(
    tmp_path: Path, way: Access, account: str, later_ms: int
) -> None:
    found = await restored(tmp_path, way=way, account=account, later_ms=later_ms)
    assert found == brought_back().messages[1]


async def test_the_database_can_not_read_them(tmp_path: Path) -> None:
    await restored(tmp_path)
    assert b"a-signature" not in (tmp_path / "recto.db").read_bytes()


async def test_what_a_protocol_has_a_field_for_is_not_kept(tmp_path: Path) -> None:
    clock = ToldClock()
    storage = await opened(tmp_path, clock)
    kept = StoredThoughts(storage, clock=clock, ids=SomeIds())
    for protocol in ("anthropic-messages", "openai-responses", "gemini"):
        await kept.keep("a1", protocol, WAY, Finished("tool_use", SAID))
    assert await storage.kept_thoughts.get_many("a1", ["c1", "c2"], now_ms=0) == {}
    await storage.close()
