"""Changes are seen as they happen, in any folder that is not ignored."""

import os
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from recto.workspace import watch as watching
from recto.workspace.failures import RootGone, WatchUnavailable
from recto.workspace.ignore import IgnoreRules
from recto.workspace.jail import Jail
from recto.workspace.watch import Changes, read_changes, watch, watched_folders

pytestmark = pytest.mark.anyio

READY = Changes(frozenset())


@pytest.fixture
def jail(root: Path) -> Jail:
    return Jail(root)


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


async def until(
    batches: AsyncGenerator[Changes, None], wanted: Callable[[Changes], bool]
) -> Changes:
    """Wait for the batch that says so; what a change causes may come in several."""
    async for changes in batches:
        if wanted(changes):
            return changes
    raise AssertionError("the watch ended")


async def test_every_kind_of_change_in_nested_folders_is_seen(jail: Jail, root: Path) -> None:
    (root / "a" / "b").mkdir(parents=True)
    file = root / "a" / "b" / "file.md"
    steps: list[Callable[[], object]] = [
        lambda: file.write_text("created", encoding="utf-8"),
        lambda: file.write_text("modified", encoding="utf-8"),
        lambda: file.rename(file.with_name("renamed.md")),
        lambda: file.with_name("renamed.md").unlink(),
    ]

    with anyio.fail_after(60):
        async with aclosing(watch(jail, IgnoreRules(jail))) as batches:
            assert await anext(batches) == READY
            for step in steps:
                step()
                assert await anext(batches) == Changes(frozenset({"a/b"}))


async def test_folders_that_appear_are_watched_too(jail: Jail, root: Path) -> None:
    with anyio.fail_after(60):
        async with aclosing(watch(jail, IgnoreRules(jail))) as batches:
            await anext(batches)
            (root / "new" / "deep").mkdir(parents=True)
            await until(batches, lambda changes: "" in changes.folders)
            (root / "new" / "deep" / "file.md").write_bytes(b"")
            await until(batches, lambda changes: "new/deep" in changes.folders)
            os.rename(root / "new", root / "moved")
            await until(batches, lambda changes: "" in changes.folders)
            (root / "moved" / "deep" / "file.md").write_bytes(b"more")
            await until(batches, lambda changes: "moved/deep" in changes.folders)


async def test_a_new_folder_costs_what_is_in_it_not_a_walk_through_all(
    jail: Jail, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        (root / f"old{number}").mkdir()
    listed: list[str] = []
    look = watching.folders_in

    def noted(jail: Jail, path: str) -> list[str] | None:
        listed.append(path)
        return look(jail, path)

    monkeypatch.setattr(watching, "folders_in", noted)
    with anyio.fail_after(60):
        async with aclosing(watch(jail, IgnoreRules(jail))) as batches:
            await anext(batches)
            assert len(listed) == 51
            listed.clear()
            for name in ("one", "two", "three"):
                (root / name / "deep").mkdir(parents=True)
                await until(batches, lambda changes: "" in changes.folders)
            assert set(listed) <= {
                f"{one}{deep}" for one in ("one", "two", "three") for deep in ("", "/deep")
            }
            for path in ("one/deep", "three/deep", "old7"):
                (root / path / "file.md").write_bytes(b"")
                await until(batches, lambda changes, path=path: path in changes.folders)
            # Other rules apply: everything is looked at once.
            (root / ".gitignore").write_text("two/\n", encoding="utf-8")
            await until(batches, lambda changes: changes.overflow)
            assert "old49" in listed
            (root / "old8" / "file.md").write_bytes(b"")
            await until(batches, lambda changes: "old8" in changes.folders)


async def test_ignored_folders_and_links_are_not_watched(jail: Jail, root: Path) -> None:
    (root / ".gitignore").write_text("node_modules/\n", encoding="utf-8")
    for folder in ("node_modules/x", ".git/objects/aa", "src/deep"):
        (root / folder).mkdir(parents=True)
    (root / "out").symlink_to("/")

    assert sorted(watched_folders(jail, IgnoreRules(jail))) == ["", ".git", "src", "src/deep"]


def test_rectos_own_records_are_not_watched(jail: Jail, root: Path) -> None:
    # Each answer is written to a log there: the page would ask without end.
    (root / "share" / "recto" / "deep").mkdir(parents=True)
    rules = IgnoreRules(jail, records=("share", "recto"))
    assert sorted(watched_folders(jail, rules)) == ["", "share"]


async def test_other_ignore_rules_mean_that_everything_may_look_different(
    jail: Jail, root: Path
) -> None:
    (root / "build").mkdir()

    with anyio.fail_after(60):
        async with aclosing(watch(jail, IgnoreRules(jail))) as batches:
            await anext(batches)
            (root / ".gitignore").write_text("build/\n", encoding="utf-8")
            assert await anext(batches) == Changes(frozenset({""}), overflow=True)
            (root / "build" / "unseen").write_bytes(b"")
            (root / "seen").write_bytes(b"")
            later = await until(batches, lambda changes: not changes.overflow)
            assert later == Changes(frozenset({""}))


async def test_a_checkout_is_a_change_of_git(jail: Jail, root: Path) -> None:
    git(root, "init", "-q")

    with anyio.fail_after(60):
        async with aclosing(watch(jail, IgnoreRules(jail))) as batches:
            await anext(batches)
            git(root, "checkout", "-q", "-b", "other")
            assert await anext(batches) == Changes(frozenset(), git=True)


async def test_a_folder_that_is_removed_ends_the_watch(jail: Jail, root: Path) -> None:
    with anyio.fail_after(60):
        async with aclosing(watch(jail, IgnoreRules(jail))) as batches:
            await anext(batches)
            os.rmdir(root)
            with pytest.raises(RootGone):
                await anext(batches)


async def test_cancelling_ends_the_watch_at_once(
    jail: Jail, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing but the cancelling can end its wait.
    monkeypatch.setattr(watching, "ROOT_CHECK_MS", 600_000)
    before = set(threading.enumerate())
    begun: set[threading.Thread] = set()
    ready = anyio.Event()

    async def consume() -> None:
        async with aclosing(watch(jail, IgnoreRules(jail))) as batches:
            async for _ in batches:
                ready.set()

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(consume)
            await ready.wait()
            begun |= set(threading.enumerate()) - before
            group.cancel_scope.cancel()
        # Other tests' threads may end or begin meanwhile; only the watch's own ones count.
        own = [thread for thread in begun if thread.name.startswith("watch")]
        assert own
        while any(thread.is_alive() for thread in own):
            await anyio.lowlevel.checkpoint()


async def test_a_folder_too_big_to_watch_is_said_to_be(
    jail: Jail, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").mkdir()
    monkeypatch.setattr(watching, "MAX_FOLDERS", 1)

    with pytest.raises(WatchUnavailable, match="more than 1 folders"):
        await anext(watch(jail, IgnoreRules(jail)))


WATCH = """
import anyio, sys
from recto.workspace import WatchUnavailable, Workspace

async def main():
    async with await Workspace.open(sys.argv[1]) as workspace:
        try:
            await anext(workspace.watch())
        except WatchUnavailable as failure:
            print(failure.message)

anyio.run(main)
"""


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("max_inotify_watches", "OS file watch limit reached."),
        ("max_inotify_instances", "Too many open files"),
    ],
)
def test_a_limit_of_the_system_is_said_to_be_reached(root: Path, limit: str, reason: str) -> None:
    for number in range(5):
        (root / str(number)).mkdir()
    script = f'echo 2 > /proc/sys/user/{limit} && exec "$@"'
    if limit == "max_inotify_instances":
        script = script.replace("2", "0")
    within = ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh"]
    if subprocess.run([*within, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this system does not let us make a system with other limits")

    answer = subprocess.run(
        [*within, sys.executable, "-c", WATCH, str(root)],
        check=True,
        capture_output=True,
        text=True,
    )

    assert answer.stdout.startswith("Changes in this folder can't be watched: ")
    assert reason in answer.stdout


def test_unfinished_writes_and_gits_own_files_are_not_reported() -> None:
    raw = {(1, "/r/.recto-tmp-1"), (2, "/r/.git/index.lock"), (1, "/r/a/.git/objects/x"), (2, "/r")}

    assert read_changes("/r", raw) == READY


def test_a_flood_of_changes_means_that_anything_may_have_changed() -> None:
    raw = {(2, f"/r/file{number}") for number in range(5001)}

    assert read_changes("/r", raw) == Changes(frozenset({""}), overflow=True)
