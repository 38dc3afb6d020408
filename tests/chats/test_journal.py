"""One chat's log: nothing is lost, doubled or skipped, whoever writes and whatever fails."""

import gc
import weakref
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Engine, event

from recto.chats.history import journal as journal_module
from recto.chats.history.journal import ChatJournal, ChatJournals, nothing
from recto.storage import NewEvent, RunTaken, Storage, WriteTransaction
from recto.storage.sqlite import SqliteEngine
from tests.fakes import FakeClock
from tests.stores import open_empty

pytestmark = pytest.mark.anyio

CHAT = "c1"


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncGenerator[Storage]:
    storage = await open_empty(tmp_path / "recto.db", clock=FakeClock())
    async with storage.write() as write:
        await storage.projects.add(write, id="p1", name="p1", path="/p1", settings={})
        await storage.chats.add(write, id=CHAT, project_id="p1", title="", meta={})
    yield storage
    await storage.close()


@pytest.fixture
def journal(storage: Storage) -> ChatJournal:
    return ChatJournal(storage, CHAT)


def text(words: str, *, step: int = 1) -> NewEvent:
    return NewEvent("text", {"step": step, "text": words})


async def kept(storage: Storage) -> list[str]:
    """The words in the store, in order."""
    return [event.body["text"] for event in await storage.events.after(CHAT)]


async def heard(journal: ChatJournal, after: int, count: int) -> list[tuple[int, str]]:
    """The next events that a watcher gets."""
    found: list[tuple[int, str]] = []
    with anyio.fail_after(120):
        async with aclosing(journal.follow(after)) as events:
            async for event in events:
                found.append((event.seq, event.body["text"]))
                if len(found) == count:
                    break
    return found


async def test_pieces_are_written_before_what_can_not_wait(
    journal: ChatJournal, storage: Storage
) -> None:
    journal.add(text("It "))
    journal.add(text("comes."))
    journal.add(text("Next.", step=2))
    await journal.commit(text("Now.", step=2))

    assert await kept(storage) == ["It comes.", "Next.", "Now."]


async def test_pieces_are_kept_when_a_commit_fails(journal: ChatJournal, storage: Storage) -> None:
    async def refuse(write: WriteTransaction) -> None:
        journal.add(text("came meanwhile", step=2))
        raise OSError("no")

    journal.add(text("before"))
    with pytest.raises(OSError, match="no"):
        await journal.commit_with(refuse, lambda _: [text("never")])
    assert await kept(storage) == []
    await journal.commit(text("after", step=3))

    assert await kept(storage) == ["before", "came meanwhile", "after"]


async def test_words_are_kept_when_writing_them_as_they_come_fails(
    journal: ChatJournal, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise OSError("the disk is full")

    await begin(storage, "r1")
    monkeypatch.setattr(storage.events, "append_all", refuse)
    journal.add(NewEvent("text", {"step": 1, "text": "before"}, "r1"))
    with pytest.raises(OSError, match="the disk is full"), anyio.fail_after(120):
        await journal.keep_writing("r1")
    monkeypatch.undo()
    await journal.commit(text("after", step=2))

    assert await kept(storage) == ["before", "after"]


async def test_a_commit_that_is_cancelled_on_its_last_way_is_written_and_seen_once(
    journal: ChatJournal, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with anyio.CancelScope() as scope:

        async def announce(*_: object) -> None:
            scope.cancel()

        monkeypatch.setattr(SqliteEngine, "announce", announce)
        journal.add(text("one"))
        await journal.commit_with(nothing, lambda _: [text("two", step=2)])
    assert scope.cancelled_caught
    monkeypatch.undo()
    await journal.commit(text("three", step=3))

    assert await kept(storage) == ["one", "two", "three"]
    assert await heard(journal, 0, 3) == [(1, "one"), (2, "two"), (3, "three")]


async def test_a_watcher_gets_what_another_process_wrote_between(
    journal: ChatJournal, storage: Storage
) -> None:
    """Two processes write one log; the news of it comes later than the next own write."""
    other = ChatJournal(storage, CHAT)
    await journal.commit(text("1"), text("2"))
    await other.commit(text("3"))
    await journal.commit(text("4"))
    other.heard(4)

    for after in range(4):
        expected = [(seq, str(seq)) for seq in range(after + 1, 5)]
        assert await heard(journal, after, 4 - after) == expected
        assert await heard(other, after, 4 - after) == expected


async def test_news_of_another_process_wake_a_watcher(
    journal: ChatJournal, storage: Storage
) -> None:
    other = ChatJournal(storage, CHAT)
    await journal.commit(text("1"))
    found: list[tuple[int, str]] = []
    is_caught_up = anyio.Event()

    async def watch() -> None:
        async with aclosing(journal.follow(0)) as events:
            async for event in events:
                found.append((event.seq, event.body["text"]))
                is_caught_up.set()
                if len(found) == 2:
                    return

    with anyio.fail_after(120):
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            await is_caught_up.wait()
            await other.commit(text("2"))
            journal.heard(2)

    assert found == [(1, "1"), (2, "2")]


async def begin(storage: Storage, run_id: str) -> None:
    async with storage.write() as write:
        await storage.runs.add(write, id=run_id, chat_id=CHAT, state="running", body={})


async def test_nothing_of_a_run_is_written_once_somebody_else_has_ended_it(
    journal: ChatJournal, storage: Storage
) -> None:
    done: list[str] = []

    async def work(write: WriteTransaction) -> None:
        done.append("work")

    await begin(storage, "r1")
    journal.add(NewEvent("text", {"text": "seen"}, "r1"))
    await journal.commit_with(work, lambda _: [], run_id="r1")
    async with storage.write() as write:
        await storage.runs.end(write, "r1", "interrupted")
    journal.add(NewEvent("text", {"text": "too late"}, "r1"))
    with pytest.raises(RunTaken):
        await journal.commit_with(work, lambda _: [text("later still")], run_id="r1")

    assert (done, await kept(storage)) == (["work"], ["seen"])


async def test_words_of_a_run_that_is_taken_keep_nobody_else_from_writing(
    journal: ChatJournal, storage: Storage
) -> None:
    await begin(storage, "r1")
    async with storage.write() as write:
        await storage.runs.end(write, "r1", "interrupted")
    journal.add(NewEvent("text", {"text": "too late"}, "r1"))
    await journal.commit(text("renamed"))
    await journal.commit(text("again"))

    assert await kept(storage) == ["renamed", "again"]


async def test_the_writer_of_a_runs_words_ends_when_the_run_is_taken(
    journal: ChatJournal, storage: Storage
) -> None:
    await begin(storage, "r1")
    async with storage.write() as write:
        await storage.runs.end(write, "r1", "interrupted")
    journal.add(NewEvent("text", {"text": "too late"}, "r1"))
    with pytest.raises(RunTaken), anyio.fail_after(120):
        await journal.keep_writing("r1")


async def test_the_first_word_waits_for_nothing_and_takes_along_what_waits_for_it(
    journal: ChatJournal, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "FLUSH_S", 3600)
    await begin(storage, "r1")
    async with anyio.create_task_group() as group:
        group.start_soon(journal.keep_writing, "r1")
        journal.add(NewEvent("step", {"text": "step"}, "r1"))
        await anyio.wait_all_tasks_blocked()
        assert await kept(storage) == [], "no commit of its own"
        journal.add(NewEvent("text", {"step": 1, "text": "Twice"}, "r1"))
        assert await heard(journal, 0, 2) == [(1, "step"), (2, "Twice")]
        group.cancel_scope.cancel()


async def test_pieces_that_another_commit_takes_along_cost_no_commit_of_their_own(
    journal: ChatJournal, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "FLUSH_S", 0)
    await begin(storage, "r1")
    commits: list[None] = []

    def note(_: object) -> None:
        commits.append(None)

    async with anyio.create_task_group() as group:
        async with storage.write():
            group.start_soon(journal.keep_writing, "r1")
            journal.add(NewEvent("step", {"text": "step"}, "r1"))
            group.start_soon(journal.commit, text("now"))
            await anyio.wait_all_tasks_blocked()
            event.listen(Engine, "commit", note)
        try:
            assert await heard(journal, 0, 2) == [(1, "step"), (2, "now")]
            await anyio.wait_all_tasks_blocked()
        finally:
            event.remove(Engine, "commit", note)
        group.cancel_scope.cancel()
    assert len(commits) == 2, "the one that they waited for, and the one of both"


async def test_a_step_without_words_is_told_a_moment_later(
    journal: ChatJournal, storage: Storage
) -> None:
    await begin(storage, "r1")
    async with anyio.create_task_group() as group:
        group.start_soon(journal.keep_writing, "r1")
        journal.add(NewEvent("step", {"text": "step"}, "r1"))
        assert await heard(journal, 0, 1) == [(1, "step")]
        group.cancel_scope.cancel()


async def test_a_log_that_nobody_uses_is_forgotten(storage: Storage) -> None:
    journals = ChatJournals(storage)
    journal = journals.of(CHAT)
    assert journals.of(CHAT) is journal, "those who use it at the same time share it"
    await journal.commit(text("Twice a day."))
    used = weakref.ref(journal)
    del journal
    gc.collect()
    assert used() is None


async def test_pieces_of_many_chats_are_committed_together_and_a_dead_run_stops_no_other(
    storage: Storage,
) -> None:
    chats = [f"chat{number}" for number in range(12)]
    async with storage.write() as write:
        for chat in chats:
            await storage.chats.add(write, id=chat, project_id="p1", title="", meta={})
            await storage.runs.add(write, id=f"r-{chat}", chat_id=chat, state="running", body={})
        await storage.runs.end(write, "r-chat3", "interrupted")
    journals = ChatJournals(storage)
    # Held: the logs of those who neither write nor listen are forgotten.
    logs = [journals.of(chat) for chat in chats]
    refused: list[str] = []
    commits: list[object] = []

    def note(connection: object) -> None:
        commits.append(connection)

    async def write_pieces(log: ChatJournal) -> None:
        try:
            await log.keep_writing(f"r-{log.chat_id}")
        except RunTaken:
            refused.append(log.chat_id)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as group:
            for log in logs:
                group.start_soon(write_pieces, log)
            async with storage.write():
                for log in logs:
                    log.add(NewEvent("text", {"text": log.chat_id}, f"r-{log.chat_id}"))
                await anyio.wait_all_tasks_blocked()
                event.listen(Engine, "commit", note)
            try:
                for log in logs:
                    if log.chat_id != "chat3":
                        assert await heard(log, 0, 1) == [(1, log.chat_id)]
                # The refusal is a failure of its own task, and is on its way.
                await anyio.wait_all_tasks_blocked()
            finally:
                event.remove(Engine, "commit", note)
            group.cancel_scope.cancel()
    assert refused == ["chat3"]
    assert await storage.events.after("chat3") == ()
    # The transaction that they waited for, and one or two of their own.
    assert len(commits) <= 3
