"""What a command did to files, at both levels: enough to do it again, and to undo it."""

import shutil
from pathlib import Path

import anyio
import pytest

from recto.tools.effects import Effect
from recto.tools.shell.command_result import CommandChanges
from tests.tools.shell.place import Place, applied, file, folder, link, tree

pytestmark = pytest.mark.anyio

SCRIPTS = {
    "a new file": "echo x > new",
    "a file that is only touched": "touch a.txt",
    "the same content again": "cp a.txt t && mv t a.txt",
    "modes": "chmod 755 a.txt; chmod 600 deep/b.txt; chmod 700 deep",
    "a deleted file": "rm a.txt",
    "a deleted folder": "rm -r deep",
    "a renamed file": "mv a.txt b.txt",
    "a renamed folder": "mv deep shallow",
    "a folder renamed twice and filled": "mv deep x; mv x y; echo new > y/new; rm y/b.txt",
    "a folder deleted and made again": "rm -r deep; mkdir deep; echo x > deep/x",
    "a folder made again with the same files": "cp -rp deep t; rm -r deep; mv t deep",
    "a file in place of a folder": "rm -r deep; echo x > deep",
    "a folder in place of a file": "rm a.txt; mkdir a.txt; echo x > a.txt/x",
    "a link in place of a file": "ln -sf deep/b.txt a.txt",
    "a link in place of a folder": "rm -r deep; ln -s / deep",
    "a folder in place of a link": "rm to; mkdir to; echo x > to/b.txt",
    "a link with another target": "ln -sfn nowhere to",
    "a file written through a link": "echo x > to/b.txt",
    "empty folders": "mkdir -p e/f/g; rmdir empty",
    "a hard link": "ln a.txt same; echo more >> same",
    "a file cut to nothing": ": > a.txt",
    "odd names": "mkdir ' '; echo x > ' /-rf'; echo x > $'new\\nline'; echo x > 'e\u0301'",
    "two files swapped": "mv a.txt t; mv deep/b.txt a.txt; mv t deep/b.txt",
    "everything gone": "rm -rf -- *",
}


def fill(root: Path) -> None:
    (root / "deep" / "er").mkdir(parents=True)
    (root / "a.txt").write_text("one\n", encoding="utf-8")
    (root / "deep" / "b.txt").write_text("two\n", encoding="utf-8")
    (root / "deep" / "b.txt").chmod(0o640)
    (root / "deep" / "er" / "c.txt").write_text("three\n", encoding="utf-8")
    (root / "to").symlink_to("deep")
    (root / "empty").mkdir()


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_the_changes_lead_to_the_same_folder_as_the_command(
    place: Place, tmp_path: Path, script: str
) -> None:
    fill(place.root)
    twin = tmp_path / "twin"
    shutil.copytree(place.root, twin, symlinks=True)
    await anyio.run_process(["bash", "-c", script], cwd=twin)
    before = tree(place.root)

    ran = await place.run(script)

    assert (ran.code, ran.output, ran.found.lost) == (0, "", "")
    assert applied(before, ran.changes) == tree(twin)
    assert tree(place.root) == (before if ran.level == "sandboxed" else tree(twin))


async def test_a_change_has_what_was_and_what_is(place: Place) -> None:
    fill(place.root)

    ran = await place.run("rm -r deep; echo two >> a.txt; mkdir new; ln -s a.txt new/link")

    assert ran.found == CommandChanges(
        (
            Effect("deep/er/c.txt", file("three\n"), None),
            Effect("deep/er", folder(), None),
            Effect("deep/b.txt", file("two\n", 0o640), None),
            Effect("deep", folder(), None),
            Effect("a.txt", file("one\n"), file("one\ntwo\n")),
            Effect("new", None, folder()),
            Effect("new/link", None, link("a.txt")),
        )
    )


async def test_a_thousand_files(place: Place) -> None:
    ran = await place.run("for i in $(seq 1000); do echo $i > $i.txt; done")

    names = sorted(f"{number}.txt" for number in range(1, 1001))
    assert [change.path for change in ran.changes] == names


async def test_a_link_out_of_the_folder_is_a_link_and_nothing_more(
    place: Place, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a").write_text("not ours", encoding="utf-8")
    (place.root / "out").symlink_to(outside)

    ran = await place.run("rm out; ln -s /etc out; ln -s ../outside other; ln -s other third")

    assert ran.changes == (
        Effect("other", None, link("../outside")),
        Effect("out", link(str(outside)), link("/etc")),
        Effect("third", None, link("other")),
    )
    assert (outside / "a").read_text("utf-8") == "not ours"


async def test_a_folder_that_takes_the_place_of_a_link_does_not_reach_its_target(
    place: Place, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a").write_text("not ours", encoding="utf-8")
    (place.root / "out").symlink_to(outside)

    ran = await place.run("rm out; mkdir out; echo mine > out/a")

    assert ran.changes == (
        Effect("out", link(str(outside)), folder()),
        Effect("out/a", None, file("mine\n")),
    )


async def test_what_is_no_file_is_named_and_left_out(apart: Place) -> None:
    ran = await apart.run("mkfifo pipe; echo x > ok")

    assert ran.changes == (Effect("ok", None, file("x\n")),)
    assert ran.found.lost.endswith(": pipe.")


async def test_names_that_are_no_text_are_named_and_left_out(apart: Place) -> None:
    ran = await apart.run("echo x > $'a\\xff'; mkdir $'b\\xff'; echo x > $'b\\xff/c'; echo x > ok")

    assert [change.path for change in ran.changes] == ["ok"]
    assert ran.found.lost.endswith(": a?, b?.")


async def test_what_nobody_may_read_is_read_all_the_same(apart: Place) -> None:
    ran = await apart.run("mkdir shut; echo x > shut/in; chmod 000 shut/in shut")

    assert ran.changes == (
        Effect("shut", None, folder(0o000)),
        Effect("shut/in", None, file("x\n", 0o000)),
    )


async def test_a_tree_deeper_than_any_path_is_left_out_and_removed(apart: Place) -> None:
    ran = await apart.run(f"for i in $(seq 30); do mkdir {'d' * 200}; cd d*; done; echo x > end")

    assert (ran.code, len(ran.changes)) == (0, 14)
    assert ran.found.lost.startswith("Not taken over")


async def test_a_huge_file_is_named_and_left_out(apart: Place) -> None:
    ran = await apart.run("truncate -s 1T huge; echo x > ok")

    assert ran.changes == (Effect("ok", None, file("x\n")),)
    assert ran.found.lost.endswith(": huge.")


async def test_more_than_can_be_kept_is_said_and_nothing_is_taken_over(apart: Place) -> None:
    ran = await apart.run("for i in 1 2 3 4 5 6; do truncate -s 90M $i; done")

    assert ran.found == CommandChanges(
        lost="It changed more than can be kept (512 MB or 100,000 files): nothing was taken over."
    )


async def test_what_others_change_meanwhile_is_left_to_them(apart: Place) -> None:
    for name in ("theirs.txt", "gone.txt", "ours.txt"):
        apart.write(name, "one\n")
    apart.write("folder/a.txt", "one\n")
    told: list[str] = []

    async def tell(text: str) -> None:
        told.append(text)
        apart.write("theirs.txt", "their edit\n")
        apart.write("gone.txt", "their edit\n")
        apart.write("new.txt", "their new file\n")
        apart.write("folder/b.txt", "their new file\n")

    ran = await apart.shell.run(
        "echo two > theirs.txt; rm gone.txt; echo two > ours.txt; echo two > new.txt;"
        "rm -r folder; echo ready",
        tell=tell,
        on_interrupt=apart.note,
    )

    assert told == ["ready\n"]
    assert ran.found.clashes == ("folder/b.txt", "gone.txt", "new.txt", "theirs.txt")
    assert ran.changes == (
        Effect("folder/a.txt", file("one\n"), None),
        Effect("ours.txt", file("one\n"), file("two\n")),
    )


async def test_being_cancelled_without_a_sandbox_tells_what_was_done(in_place: Place) -> None:
    in_place.write("a.txt", "one\n")

    await in_place.run_until("ready", "echo two > a.txt; echo ready; sleep 600")

    assert in_place.interrupted == [
        CommandChanges((Effect("a.txt", file("one\n"), file("two\n")),))
    ]


async def test_without_a_sandbox_ignored_and_large_files_are_said_not_to_be_covered(
    in_place: Place,
) -> None:
    in_place.write(".gitignore", "build/\n")
    in_place.write("build/out", "one\n")
    (in_place.root / "large.bin").write_bytes(b"x" * 8_000_001)

    ran = await in_place.run("echo two > build/out; echo y >> large.bin; echo x > small")

    assert ran.changes == (Effect("small", None, file("x\n")),)
    assert ran.found.lost == "Changes that can't be undone: large.bin."
    assert ran.not_covered == (
        "Ignored files and .git are not covered: what a command does there can't be undone."
        " Nor are large or unreadable files: large.bin."
    )


async def test_without_a_sandbox_a_file_that_is_no_longer_ignored_is_not_taken_for_new(
    in_place: Place,
) -> None:
    in_place.write(".gitignore", "*.log\n")
    in_place.write("a.log", "old\n")

    ran = await in_place.run("rm .gitignore")

    assert ran.changes == (Effect(".gitignore", file("*.log\n"), None),)
