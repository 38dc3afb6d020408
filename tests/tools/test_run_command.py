"""A command is asked for, run, told, and what it did is taken over."""

from dataclasses import replace
from pathlib import Path

import pytest

from recto.messages import ToolCall
from recto.processes import ProgramMissing
from recto.tools import (
    Effect,
    FileState,
    Permissions,
    Shell,
    Tell,
    Toolbox,
    ToolRule,
    ToolRules,
    builtin_tools,
)
from recto.tools.builtin.run_command import OnInterrupt
from recto.tools.shell import CommandResult
from recto.tools.shell.command_result import CommandChanges
from tests.tools.bench import Bench, FakeShell, ran, text_of

pytestmark = pytest.mark.anyio

NEW = FileState("file", b"new")


async def test_what_it_prints_is_told_while_it_runs_and_afterwards(bench: Bench) -> None:
    bench.write(".env", "SECRET")
    bench.shell.answer = ran("hello\n", code=3)

    outcome = await bench.call("run_command", command="make", timeout_s=5, network=True)

    assert text_of(outcome) == "hello\n[exit code 3]"
    assert (outcome.fact, outcome.is_error) == ("exit 3", False)
    assert bench.told == ["hello\n"]
    assert bench.shell.asked == [
        {
            "command": "make",
            "hidden": [".env"],
            "timeout_s": 5.0,
            "network": True,
            "obeys_repository": True,
        }
    ]


async def test_a_command_that_was_ended_is_an_error(bench: Bench) -> None:
    bench.shell.answer = replace(
        ran("half", code=None, stopped="It took over 5 s and was ended."), timed_out=True
    )

    outcome = await bench.call("run_command", command="sleep 9")

    assert text_of(outcome) == "half\n[It took over 5 s and was ended.]"
    assert (outcome.fact, outcome.is_error) == ("timed out", True)


async def test_its_changes_are_made_and_those_in_others_way_are_not(bench: Bench) -> None:
    bench.write("theirs.md", "by hand")
    changes = (
        Effect("made.md", None, NEW),
        Effect("sub", None, FileState("folder", mode=0o755)),
        Effect("theirs.md", FileState("file", b"old"), NEW),
    )
    found = CommandChanges(changes, clashes=("clash.md",), lost="A pipe was not taken over.")
    bench.shell.answer = replace(ran("done"), found=found)

    told = await bench.say("run_command", command="make")

    assert told == (
        "done\n[exit code 0]\n[Changed: made.md]\n"
        "[Not changed, because something else happened there: theirs.md, clash.md]\n"
        "A pipe was not taken over."
    )
    assert bench.files() == {"made.md": "new", "theirs.md": "by hand"}


async def test_a_rule_lets_no_command_change_what_controls_programs(bench: Bench) -> None:
    changes = (Effect("AGENTS.md", None, NEW), Effect("a.md", None, NEW))
    bench.shell.answer = ran("", changes=changes)
    bench.permissions = Permissions(
        ToolRules(allow=(ToolRule("run_command", "make*"),)), sandboxed=True
    )

    outcome = await bench.call("run_command", approved=False, command="make")

    assert text_of(outcome) == (
        "It printed nothing.\n[exit code 0]\n[Changed: a.md]\n[Not changed, because such files may "
        "only be changed when the user agrees: AGENTS.md]"
    )
    assert bench.files() == {"a.md": "new"}
    await bench.say("run_command", command="make")
    assert bench.files() == {"a.md": "new"}, "to agree to a command is not to agree to this"
    asked: list[dict[str, str]] = []

    async def agree(_name: str, _why: str, changes: dict[str, str]) -> bool:
        asked.append(changes)
        return True

    bench.context = replace(bench.context, agree=agree)
    await bench.say("run_command", command="make")
    assert asked == [{"AGENTS.md": "new"}]
    assert bench.files() == {"AGENTS.md": "new", "a.md": "new"}


async def test_what_an_unsandboxed_command_did_is_recorded(bench: Bench) -> None:
    bench.write("a.md", "new")
    done = Effect("a.md", FileState("file", b"old"), NEW)
    bench.shell.answer = ran("", changes=(done,), sandboxed=False)
    bench.permissions = Permissions()

    await bench.say("run_command", command="make")

    assert bench.notes == [(done,)]


async def test_a_shell_that_is_missing_is_an_error_in_words(bench: Bench) -> None:
    class Broken(FakeShell):
        async def run(self, command: str, **_: object) -> CommandResult:
            raise ProgramMissing("sh")

    bench.shell = Broken()

    assert await bench.fail("run_command", command="ls") == (
        "The program sh was not found. Install sh."
    )


async def test_what_an_interrupted_command_had_done_is_recorded(bench: Bench) -> None:
    bench.write("a.md", "new")
    done = Effect("a.md", FileState("file", b"old"), NEW)

    class Interrupted(FakeShell):
        async def run(
            self, command: str, *, tell: Tell, on_interrupt: OnInterrupt, **_: object
        ) -> CommandResult:
            del tell
            await on_interrupt(CommandChanges((done,)))
            raise InterruptedError(command)

    bench.shell = Interrupted()

    with pytest.raises(InterruptedError):
        await bench.call("run_command", command="make")
    assert bench.notes == [(done,)]


async def test_many_changed_files_are_not_all_named(bench: Bench) -> None:
    changes = tuple(Effect(f"{number:02}.md", None, NEW) for number in range(25))
    bench.shell.answer = ran("", changes=changes)

    told = await bench.say("run_command", command="make")

    assert told.endswith(", 18.md, 19.md and 5 more]")


async def test_a_real_command_changes_the_folder_through_the_record(
    bench: Bench, root: Path
) -> None:
    bench.write("a.md", "old")
    shell = Shell(bench.workspace)
    sandboxed = (await shell.level()).kind == "sandboxed"
    tools = Toolbox(builtin_tools(shell), Permissions(sandboxed=sandboxed))
    call = ToolCall("1", "run_command", {"command": "echo new > a.md; mkdir d; echo x > d/b; pwd"})

    outcome = await tools.call(call, replace(bench.context, approved=True))

    assert text_of(outcome) == f"{root}\n[exit code 0]\n[Changed: a.md, d/b]"
    assert bench.files() == {"a.md": "new\n", "d/b": "x\n"}
    noted = {change.path for note in bench.notes for change in note}
    assert noted == {"a.md", "d", "d/b"}
