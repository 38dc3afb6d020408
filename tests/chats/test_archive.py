"""The history read from its end equals the history worked out from its beginning."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.chats import Accounting, Archive, ChatEntry, EntryContent, Summary, Totals, User
from recto.chats.history import archive as archive_module
from recto.chats.history.codec import decode
from recto.chats.history.statistics import after_checkpoint, checkpoint, visible
from recto.clock import SystemClock, SystemIds
from recto.storage import Storage
from tests.examples import examples
from tests.stores import open_empty

pytestmark = pytest.mark.anyio


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncGenerator[Storage]:
    opened = await open_empty(tmp_path / "recto.db", clock=SystemClock())
    async with opened.write() as write:
        await opened.projects.add(write, id="p", name="p", path="/p", settings={})
    yield opened
    await opened.close()


Step = tuple[str, int]
steps = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "say", "discard", "summarise", "take off"]),
        st.integers(0, 30),
    ),
    max_size=25,
)


async def made(
    storage: Storage, archive: Archive, chat_id: str, course: list[Step]
) -> list[ChatEntry]:
    """A history that went this way, every entry of it."""
    entries: list[ChatEntry] = []
    async with storage.write() as write:
        await storage.chats.add(write, id=chat_id, project_id="p", title="", meta={})
        for kind, number in course:
            content = content_of(kind, number, entries)
            if content is not None:
                entries.append(await archive.append(write, chat_id, content))
    return entries


def content_of(kind: str, number: int, entries: list[ChatEntry]) -> EntryContent | None:
    shown = visible(entries)
    if kind == "say" or not shown:
        return User(f"Message {number}", "run")
    if kind == "discard":
        return Accounting("edit", shown[number % len(shown)].seq, 1, Totals())
    if kind == "summarise":
        kept = [item.id for item in shown if isinstance(item.content, User)][-1:]
        return Summary(f"Summary {number}", "m", None, None, tuple(kept))
    last = checkpoint(entries)
    if last is None:
        return None
    return Accounting("checkpoint_removed", last.seq, 1, Totals(), last.id)


@settings(
    max_examples=examples(10),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(course=steps, page=st.integers(1, 7))
async def test_reading_from_the_end_shows_what_counts(
    storage: Storage, course: list[Step], page: int
) -> None:
    ids = SystemIds(SystemClock())
    archive, chat_id = Archive(storage, ids), ids.new()
    entries = await made(storage, archive, chat_id, course)

    assert await archive.every(chat_id) == entries
    assert tuple(await archive.all(chat_id)) == visible(entries)
    end, has_earlier = await archive.end(chat_id, limit=page)
    assert tuple(end) == visible(entries)[-page:]
    assert has_earlier == (len(visible(entries)) > page)
    after = after_checkpoint(entries)
    found = await archive.since_checkpoint(chat_id)
    assert tuple(found[len(found) - len(after) :] if after else ()) == after
    last = checkpoint(entries)
    if last is not None and isinstance(last.content, Summary):
        assert [item.id for item in found[: len(found) - len(after)]] == [
            *last.content.kept,
            last.id,
        ]


@settings(
    max_examples=examples(10),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(course=steps)
async def test_what_is_remembered_of_a_history_equals_what_is_read_anew(
    storage: Storage, course: list[Step]
) -> None:
    ids = SystemIds(SystemClock())
    ours, theirs, chat_id = Archive(storage, ids), Archive(storage, ids), ids.new()
    entries = await made(storage, theirs, chat_id, [])

    for kind, number in course:
        content = content_of(kind, number, entries)
        if content is None:
            continue
        async with storage.write() as write:
            entries.append(await theirs.append(write, chat_id, content))
        known = await ours.since_checkpoint(chat_id)
        assert known == await Archive(storage, ids).since_checkpoint(chat_id)
        # A turn adds its own entries to the list that it is given.
        known.clear()


async def test_a_turn_reads_only_what_is_new_in_its_history(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = SystemIds(SystemClock())
    archive, chat_id = Archive(storage, ids), ids.new()
    await made(storage, archive, chat_id, [("say", number) for number in range(5)])
    await archive.since_checkpoint(chat_id)
    read: list[str] = []

    def decode_noting(kind: str, body: Any, blobs: Any) -> EntryContent:
        read.append(body["text"])
        return decode(kind, body, blobs)

    monkeypatch.setattr(archive_module, "decode", decode_noting)
    async with storage.write() as write:
        await archive.append(write, chat_id, User("The sixth", "run"))

    assert len(await archive.since_checkpoint(chat_id)) == 6
    assert read == ["The sixth"]
