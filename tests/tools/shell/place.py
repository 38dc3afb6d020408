"""A folder with a shell, and what is asked about it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from recto.tools.effects import Change, Effect, FileState
from recto.tools.shell import CommandResult, Shell
from recto.tools.shell.command_result import CommandChanges


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, its shell, and what the shell told while it ran."""

    root: Path
    shell: Shell
    told: list[str] = field(default_factory=list[str])
    interrupted: list[CommandChanges] = field(default_factory=list[CommandChanges])

    async def run(
        self,
        command: str,
        *,
        timeout_s: float = 100,
        hidden: Sequence[str] = (),
        allow_network: bool = False,
    ) -> CommandResult:
        with anyio.fail_after(120):
            return await self.shell.run(
                command,
                tell=self.tell,
                on_interrupt=self.note,
                timeout_s=timeout_s,
                hidden=hidden,
                allow_network=allow_network,
            )

    async def run_until(self, word: str, command: str) -> None:
        """Run a command and cancel it when it prints a word."""
        seen = ""
        with anyio.fail_after(60), anyio.CancelScope() as scope:

            async def tell(text: str) -> None:
                nonlocal seen
                seen += text
                if word in seen:
                    scope.cancel()

            await self.shell.run(command, tell=tell, on_interrupt=self.note)
        assert scope.cancelled_caught

    async def tell(self, text: str) -> None:
        self.told.append(text)

    async def note(self, found: CommandChanges) -> None:
        self.interrupted.append(found)

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)


def file(text: str, mode: int = 0o644) -> FileState:
    return FileState("file", text.encode(), mode)


def folder(mode: int = 0o755) -> FileState:
    return FileState("folder", mode=mode)


def link(target: str) -> FileState:
    return FileState("link", target.encode(), 0o777)


def tree(root: Path) -> dict[str, FileState]:
    """All that is in a folder."""
    return {path.relative_to(root).as_posix(): state(path) for path in root.rglob("*")}


def state(path: Path) -> FileState:
    if path.is_symlink():
        return link(os.readlink(path))
    mode = path.stat().st_mode & 0o777
    if path.is_dir():
        return FileState("folder", mode=mode)
    return FileState("file", path.read_bytes(), mode)


def applied(before: dict[str, FileState], changes: Sequence[Change]) -> dict[str, FileState]:
    """A folder after changes, each of which must fit what is there when its turn comes."""
    now = dict(before)
    for change in changes:
        assert isinstance(change, Effect)
        path, becomes = change.path, change.after
        assert now.get(path) == change.before
        inside = [item for item in now if item.startswith(path + "/")]
        if becomes is None or becomes.kind != "folder":
            assert inside == []
        now.pop(path, None)
        if becomes is not None:
            above = path.rpartition("/")[0]
            assert not above or now[above].kind == "folder"
            now[path] = becomes
    return now


def survivors(token: str) -> list[str]:
    """Processes whose command line has this word."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if token.encode() in line:
            found.append(line.decode("utf-8", "replace"))
    return found
