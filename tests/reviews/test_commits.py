"""An accepted run becomes a commit of its own files, if the user wants that."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from recto.config import ChatSettings, Settings
from tests.fakes.providers import AnthropicServer, calls
from tests.reviews.desk import Desk, at_desk, create, edit
from tests.server.test_events import following
from tests.workspace.test_git import make_repository, run_git

pytestmark = pytest.mark.anyio


@pytest.fixture
def chat_settings() -> ChatSettings:
    return ChatSettings(commit_accepted=True)


@pytest.fixture
async def desk(
    upstream: AnthropicServer, tmp_path: Path, chat_settings: ChatSettings
) -> AsyncGenerator[Desk]:
    repository = make_repository(tmp_path / "folder")
    run_git(repository, "config", "user.name", "Ada")
    run_git(repository, "config", "user.email", "ada@example.org")
    async with at_desk(upstream, tmp_path, Settings(chats=chat_settings)) as opened:
        yield opened


def commits(desk: Desk) -> list[str]:
    """The subjects of all commits, the newest first."""
    return run_git(desk.folder, "log", "--format=%s").splitlines()


def committed(desk: Desk) -> list[str]:
    said = run_git(desk.folder, "show", "--name-status", "--no-renames", "--format=", "HEAD")
    return [line.replace("\t", " ") for line in said.splitlines()]


def status(desk: Desk) -> list[str]:
    return run_git(desk.folder, "status", "--porcelain").splitlines()


async def test_a_run_is_committed_once_all_its_edits_are_accepted(desk: Desk) -> None:
    desk.put("same.md", "staged\n")
    run_git(desk.folder, "add", "same.md")
    desk.put("old.md", "not staged\n")
    before = status(desk)
    turn = await desk.work(
        (create("new.md", "New.\n"), calls("delete_file", {"path": "removed.md"})),
        (calls("move_file", {"path": "changed.md", "new_path": "moved.md"}),),
    )
    await desk.decide("new.md", "accept")
    assert commits(desk) == ["first"]

    assert await desk.decide_all("accept") == []

    assert commits(desk) == ["Go on.", "first"]
    assert committed(desk) == ["D changed.md", "A moved.md", "A new.md", "D removed.md"]
    assert status(desk) == before
    body = run_git(desk.folder, "log", "-1", "--format=%b")
    assert body.endswith(f"accepted in Recto.\n\nRecto-Run: {turn}\n\n")


async def test_a_hunk_that_is_accepted_last_completes_the_run(desk: Desk) -> None:
    await desk.work((create("new.md", "New.\n"),))
    [hunk] = await desk.hunks("new.md")
    await desk.decide("new.md", "accept", [hunk["id"]])
    assert (commits(desk), committed(desk)) == (["Go on.", "first"], ["A new.md"])


async def test_a_run_of_which_something_was_rejected_is_not_committed(desk: Desk) -> None:
    await desk.work((create("a.md", "New.\n"), create("b.md", "New.\n")))
    await desk.decide("a.md", "reject")
    await desk.decide("b.md", "accept")
    assert (commits(desk), status(desk)) == (["first"], ["?? b.md"])


async def test_each_run_is_a_commit_of_its_own(desk: Desk) -> None:
    await desk.work((create("a.md", "New.\n"),))
    await desk.work((create("b.md", "New.\n"),))
    await desk.decide("b.md", "accept")
    assert (committed(desk), status(desk)) == (["A b.md"], ["?? a.md"])
    await desk.decide("a.md", "accept")
    assert (committed(desk), status(desk)) == (["A a.md"], [])


async def test_what_stands_in_the_way_is_told_and_the_edits_stay_accepted(desk: Desk) -> None:
    run_git(desk.folder, "checkout", "-q", "--detach")
    await desk.work((create("a.md", "New.\n"),))
    async with following(desk.talk.client) as events:
        await desk.decide("a.md", "accept")
        note: str | None = None
        while note is None:
            _, _, data = await events.must_next()
            note = data.get("note")
    assert note == "The accepted edits were not committed. No branch is checked out."
    assert (await desk.statuses("a.md"), commits(desk)) == (["accepted"], ["first"])


class TestWithoutReview:
    @pytest.fixture
    def chat_settings(self) -> ChatSettings:
        return ChatSettings(commit_accepted=True, review="direct")

    async def test_the_end_of_a_run_commits_it(self, desk: Desk) -> None:
        async with following(desk.talk.client) as events:
            await desk.work((edit("changed.md", "changed.md\n" * 20, "Other.\n"),))
            note: str | None = None
            while note is None:
                _, _, data = await events.must_next()
                note = data.get("note")
        assert note == "Committed: Go on."
        assert (committed(desk), status(desk)) == (["M changed.md"], [])


class TestNotWanted:
    @pytest.fixture
    def chat_settings(self) -> ChatSettings:
        return ChatSettings()

    async def test_nothing_is_committed(self, desk: Desk) -> None:
        await desk.work((create("a.md", "New.\n"),))
        await desk.decide("a.md", "accept")
        assert commits(desk) == ["first"]
