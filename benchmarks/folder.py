"""A folder of 1,000,000 files: names, a change, go to file, tree, search, git, commands, idling.

Beside ripgrep and git on the same folder in the same run. One change, and a sandboxed command that
makes a file, must each cost far less than reading every name again, and a workspace that nothing
happens in must take no CPU time. How many files may be given: `python -m benchmarks.folder 20000`.
The editors' own indexers (VS Code asks ripgrep for names, too) are not run.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import anyio

from recto.tools.shell import Shell
from recto.tools.shell.command_result import CommandChanges
from recto.workspace import Workspace
from recto.workspace.ripgrep import program

FILES = 1_000_000
IN_A_FOLDER = 100
FOLDERS_IN_ONE = 50
IDLE_S = 5.0
MOST_IDLE_CPU_S = 0.05
"""A hundredth of the time: the watch looks after the folder itself once a second."""
LEAST_TIMES = 5
WORD = "seldom"
COMMAND = "echo made > made.txt && cat group0000/part00/text-0000000.md"


def make(root: Path, files: int) -> None:
    """Folders in folders, each with some small texts."""
    for number in range(0, files, IN_A_FOLDER):
        group, part = divmod(number // IN_A_FOLDER, FOLDERS_IN_ONE)
        folder = root / f"group{group:04}" / f"part{part:02}"
        folder.mkdir(parents=True)
        for file in range(number, min(number + IN_A_FOLDER, files)):
            text = WORD if file == files // 2 else "common"
            (folder / f"text-{file:07}.md").write_text(f"{text} words {file}\n", encoding="utf-8")


async def timed(name: str, work: Callable[[], Awaitable[object]]) -> float:
    """Do something once and print how long it took."""
    began = time.perf_counter()
    await work()
    took = time.perf_counter() - began
    print(f"{name}: {took * 1000:,.0f} ms")
    return took


def run(name: str, argv: list[str], root: Path) -> None:
    """Run another program once and print how long it took."""
    began = time.perf_counter()
    subprocess.run(argv, cwd=root, check=False, stdout=subprocess.DEVNULL)
    print(f"  {name}: {(time.perf_counter() - began) * 1000:,.0f} ms")


def cpu_s() -> float:
    """The CPU time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def measure(root: Path, files: int) -> bool:
    """Measure and print; whether one change is cheap and nothing costs nothing."""
    workspace = await Workspace.open(root)
    whole = await timed(f"the names of {files:,} files", workspace.file_names)
    known = await workspace.file_names()
    if len(known.paths) != files or known.truncated:
        raise RuntimeError(f"Only {len(known.paths):,} names were found.")
    run("ripgrep", [program(), "--files", "--hidden"], root)
    await timed("the tree's top folder", lambda: workspace.list_folder(""))
    await timed("go to file", lambda: workspace.match_names(f"text{files // 2}"))
    await timed("search for a word that stands once", lambda: workspace.search(WORD))
    run("ripgrep", [program(), WORD], root)

    async def change() -> None:
        await workspace.write("group0000/part00/new.md", b"new", expected_hash=None)
        await workspace.file_names()

    once = await timed("one change, and the names after it", change)
    run("git init", ["git", "init", "-q"], root)
    await timed("the state of git, nothing added", workspace.git_state)
    run("git status", ["git", "status", "--porcelain"], root)
    commanded = await command(workspace, root)
    idle = await idle_cpu(workspace)
    print(f"idle: {idle * 1000:.0f} ms of CPU in {IDLE_S:g} s (at most {MOST_IDLE_CPU_S * 1000:g})")
    is_cheap = max(once, commanded) * LEAST_TIMES < whole
    return is_cheap and idle <= MOST_IDLE_CPU_S


async def command(workspace: Workspace, root: Path) -> float:
    """How long a command takes that reads one file and makes one; where it ran is said."""
    shell = Shell(workspace)
    level = await shell.level()

    async def tell(text: str) -> None:
        pass

    async def interrupted(changes: CommandChanges) -> None:
        pass

    began = time.perf_counter()
    done = await shell.run(COMMAND, tell=tell, on_interrupt=interrupted)
    took = time.perf_counter() - began
    print(f"a command ({level.kind}): {took * 1000:,.0f} ms")
    run("the same by sh", ["sh", "-c", COMMAND], root)
    if done.code != 0:
        raise RuntimeError("The command failed.")
    return took


async def idle_cpu(workspace: Workspace) -> float:
    """The CPU time while the folder is watched and nothing happens in it."""
    async with aclosing(workspace.watch()) as changes:
        began = time.perf_counter()
        await anext(changes)
        print(f"watching it: {(time.perf_counter() - began) * 1000:,.0f} ms until it stands")
        before = cpu_s()
        await anyio.sleep(IDLE_S)
        return cpu_s() - before


def main() -> None:
    """Make the folder, measure, and judge."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    root = Path(tempfile.mkdtemp(prefix="recto-folder-"))
    try:
        make(root, files)
        if not anyio.run(measure, root, files):
            sys.exit("folder: a change or idling costs more than it may.")
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
