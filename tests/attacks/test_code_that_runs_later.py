"""What other programs run or obey at their start is never written unasked."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from recto.messages import ToolCall
from recto.tools import Permissions, Shell, Toolbox, ToolRule, ToolRules, builtin_tools, is_control
from recto.tools.control_files import startup_files
from recto.tools.permission import CheckedCall
from recto.tools.shell.private_folder import PrivateFolder, remove
from tests.tools.bench import Bench, bench_in, text_of
from tests.tools.shell.place import survivors
from tests.tools.shell.test_ending import group_of
from tests.tools.shell.test_repository import WHO, git

REPOSITORY = Path(__file__).parents[2]

pytestmark = pytest.mark.anyio
ALL = ToolRules(allow=(ToolRule("write_file"), ToolRule("run_command"), ToolRule("create_file")))
# Ordinary files, which a list that is too long would make ask.
ORDINARY = (
    "README.md", "src/main.py", "src/hooks/useTheme.ts", "thesis.tex", "refs.bib", "Makefile",
    "package.json", "pyproject.toml", "Cargo.toml", "analysis.R", "data/config.json", "index.html",
    "header.html", "docs/agents-guide.md", "setup.py", "go.mod", "notes/config", "a.desk",
)  # fmt: skip


def samples() -> list[str]:
    """A path for each entry of the list, at the top and deep in the folder."""
    names = [
        pattern.replace("*", "x") for patterns in startup_files().values() for pattern in patterns
    ]
    return [place for name in names for place in (name, f"deep/er/{name}")]


def test_every_file_of_the_list_asks_whatever_the_rules_say() -> None:
    permissions = Permissions(ALL, sandboxed=True)
    (write,) = [tool for tool in builtin_tools(None) if tool.name == "write_file"]  # pyright: ignore[reportArgumentType]
    assert len(samples()) > 600
    for path in samples():
        for spelled in (path, path.upper(), f"{path}/inside"):
            verdict = permissions.judge(write.declaration, CheckedCall(spelled, (spelled,)))
            assert verdict.kind != "allow", spelled
    assert [path for path in ORDINARY if is_control(path)] == []


async def real_commands(bench: Bench) -> Toolbox:
    shell = Shell(bench.workspace)
    level = await shell.level()
    if level.kind != "sandboxed":
        pytest.skip(f"no sandbox here: {level.why}")
    return Toolbox(builtin_tools(shell), Permissions(ALL, sandboxed=True))


async def test_no_command_writes_a_file_of_the_list_unasked(tmp_path: Path) -> None:
    root = tmp_path / "folder"
    root.mkdir()
    script = "".join(
        f'mkdir -p "$(dirname "x/{path}")"; echo evil > "x/{path}"\n' for path in samples()
    )
    (root / "plant.sh").write_text(script + "echo fine > fine.txt\n", encoding="utf-8")
    async with bench_in(root) as bench:
        tools = await real_commands(bench)
        call = ToolCall("1", "run_command", {"command": "sh plant.sh"})
        for approved in (False, True):
            await tools.call(call, replace(bench.context, approved=approved))
        files = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
        assert files == {"plant.sh", "fine.txt"}


async def test_a_folder_of_ordinary_files_does_not_become_a_repository(tmp_path: Path) -> None:
    root = tmp_path / "folder"
    root.mkdir()
    async with bench_in(root) as bench:
        tools = await real_commands(bench)
        command = "git init -q --bare made && echo '[core] fsmonitor = evil' >> made/config"
        call = ToolCall("1", "run_command", {"command": command})
        told = text_of(await tools.call(call, bench.context))
        assert "made/HEAD" in told
        assert not (root / "made" / "HEAD").exists()
        for name in ("HEAD", "head", "hooks/post-checkout"):
            made = ToolCall("2", "create_file", {"path": f"bare/{name}", "content": "x"})
            assert "agree" in text_of(await tools.call(made, bench.context)), name


PLANTED = {
    "hooks/post-checkout": "#!/bin/sh\nevil\n",
    "modules/x/config": "[core] fsmonitor = evil\n",
    "rebase-merge/git-rebase-todo": "exec evil\n",
    "config": "[core] fsmonitor = evil\n",
    "info/attributes": "* filter=evil\n",
    "objects/info/alternates": "/elsewhere\n",
}


async def test_what_is_planted_in_git_is_asked_about_and_never_on_the_disk_before(
    tmp_path: Path,
) -> None:
    root = tmp_path / "folder"
    root.mkdir()
    (root / "a.txt").write_text("one\n", encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        git(root, *arguments)
    inside = {path: (root / ".git" / path) for path in PLANTED}
    before = {path: real.read_bytes() for path, real in inside.items() if real.exists()}
    seen: list[str] = []

    def on_disk() -> dict[str, bytes]:
        return {path: real.read_bytes() for path, real in inside.items() if real.exists()}

    async def watch(piece: str) -> None:
        assert on_disk() == before, "while it runs, too"
        seen.append(piece)

    plant = "".join(
        f'mkdir -p "$(dirname ".git/{path}")"; printf %s "{text}" > ".git/{path}"; echo planted;'
        for path, text in PLANTED.items()
    )
    commit = f"echo two > a.txt; {WHO} git -c core.fsmonitor=false commit -qam second"
    asked: list[dict[str, str]] = []
    answers = [False, True]

    async def agree(_name: str, _why: str, changes: dict[str, str]) -> bool:
        asked.append(changes)
        return answers.pop(0)

    async with bench_in(root) as bench:
        tools = await real_commands(bench)
        context = replace(bench.context, approved=True, tell=watch, agree=agree)
        call = ToolCall("1", "run_command", {"command": f"{commit}; {plant}"})
        told = text_of(await tools.call(call, context))
        assert "planted" in "".join(seen)
        assert ".git/hooks/post-checkout" in told
        assert on_disk() == before
        assert git(root, "log", "--format=%s") == "first\n", "all of it, or nothing but objects"
        await tools.call(call, context)
    assert {path: inside[path].read_text("utf-8") for path in PLANTED} == PLANTED
    assert asked[0] == asked[1]
    assert {f".git/{path}": text for path, text in PLANTED.items()}.items() <= asked[0].items()


@pytest.mark.parametrize("killed", ["recto", "the command"])
async def test_nothing_that_is_planted_is_on_the_disk_after_a_kill(
    tmp_path: Path, killed: str
) -> None:
    """`kill -9` of Recto leaves the folder as it was; of the command, what it did still asks."""
    root = tmp_path / "folder"
    root.mkdir()
    (root / "a.txt").write_text("one\n", encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        git(root, *arguments)
    async with bench_in(root) as bench:
        await real_commands(bench)
    before = everything_in(root)
    token = f"planter-{os.getpid()}-{killed.replace(' ', '-')}"
    plant = "".join(
        f'mkdir -p "$(dirname ".git/{path}")"; printf %s "{text}" > ".git/{path}";'
        for path, text in PLANTED.items()
    )
    ends = "kill -9 $$" if killed == "the command" else f"exec -a {token} sleep 600"
    command = f"{plant} echo evil > .bashrc; echo planted; bash -c '{ends}'; kill -9 $$"
    argv = [sys.executable, "-m", "tests.attacks.planter", str(root), command]
    left = tmp_path / "left"
    left.mkdir()
    places = {**os.environ, "TMPDIR": str(left)}
    async with await anyio.open_process(argv, cwd=REPOSITORY, env=places, stderr=None) as recto:
        assert recto.stdout is not None
        said = b""
        with anyio.fail_after(120):
            while b"planted" not in said:
                said += await recto.stdout.receive()
            if killed == "recto":
                recto.kill()
            async for chunk in recto.stdout:
                said += chunk
            await recto.wait()
            # What was killed is gone when the system has got to it.
            while survivors(token):
                await anyio.lowlevel.checkpoint()
    assert everything_in(root) == before
    for folder in left.iterdir():
        await remove(PrivateFolder(str(folder), group_of(folder.name)))
    if killed == "the command":
        assert "such files may only be changed when the user agrees: .bashrc" in said.decode()


def everything_in(root: Path) -> dict[str, bytes]:
    """All files of a folder, those of .git too; new objects alone are no harm."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and "objects" not in path.parts
    }


async def test_a_rule_for_git_runs_no_program_that_the_repository_names(tmp_path: Path) -> None:
    root = tmp_path / "folder"
    root.mkdir()
    (root / "a.txt").write_text("one\n", encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        git(root, *arguments)
    marker = "touch ran.txt; cat"
    for key in ("diff.x.textconv", "filter.x.clean", "filter.x.smudge"):
        git(root, "config", key, f"sh -c '{marker} $0'")
    git(root, "config", "diff.y.command", f"sh -c '{marker}'")
    git(root, "config", "alias.own", "!touch ran.txt")
    (root / ".gitattributes").write_text("*.txt diff=x filter=x\n*.md diff=y\n", encoding="utf-8")
    (root / "a.txt").write_text("two\n", encoding="utf-8")
    async with bench_in(root) as bench:
        tools = await real_commands(bench)
        for command in ("git log -p", "git diff", "git show", "git status", "git own"):
            call = ToolCall("1", "run_command", {"command": command})
            told = text_of(await tools.call(call, bench.context))
            assert ("+one" in told) is (command in ("git log -p", "git show")), told
            assert not (root / "ran.txt").exists(), command
