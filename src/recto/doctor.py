"""Checks what Recto needs of this computer, and says how to fix what is missing."""

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import anyio.to_thread

from recto.config import ConfigFailure, Home, load_keys, load_settings
from recto.llm import find_missing_requirement
from recto.supervisor import TaskHealth
from recto.tools import find_sandbox
from recto.workspace import SearchUnavailable, search_program

LITTLE_SPACE = 1024**3
OLDEST_SQLITE = (3, 35, 0)
FEW_WATCHES = 65_536
WATCH_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing Recto needs, and how it is."""

    name: str
    state: Literal["ok", "warning", "problem"]
    detail: str
    remedy: str | None = None


async def examine(home: Home) -> Sequence[Check]:
    """Every check, in the order of how much depends on it."""
    checks: tuple[Callable[[], Check], ...] = (
        python,
        lambda: home_folder(home),
        lambda: settings(home),
        lambda: keys(home),
        built_in_model,
        lambda: disk(home),
        sqlite,
        git,
        ripgrep,
        watches,
    )
    found = [await anyio.to_thread.run_sync(check) for check in checks]
    return [*found, await sandbox()]


def python() -> Check:
    """The Python that runs Recto."""
    return Check("Python", "ok", sys.version.split()[0])


def home_folder(home: Home) -> Check:
    """Whether Recto can keep its own files."""
    if os.access(home.folder, os.W_OK):
        return Check("Recto home", "ok", str(home.folder))
    remedy = "Make it writable, or set RECTO_HOME to another folder."
    return Check("Recto home", "problem", f"{home.folder} can't be written", remedy)


def settings(home: Home) -> Check:
    """Whether the settings can be read."""
    try:
        load_settings(home.settings_file)
    except ConfigFailure as failure:
        return Check("Settings", "problem", failure.message, failure.remedy)
    given = home.settings_file.exists()
    return Check("Settings", "ok", str(home.settings_file) if given else "Defaults")


def keys(home: Home) -> Check:
    """Which providers' keys there are; never the keys."""
    try:
        found = load_keys(home)
    except ConfigFailure as failure:
        return Check("Keys", "problem", failure.message, failure.remedy)
    return Check("Keys", "ok", ", ".join(sorted(found)) or "None yet")


def built_in_model() -> Check:
    """Whether there is a model without any key."""
    lack = find_missing_requirement()
    if lack is None:
        return Check("Built-in model", "ok", "SmolLM2, runs on this computer")
    return Check("Built-in model", "warning", lack.message, lack.remedy)


def disk(home: Home) -> Check:
    """Whether there is room to record."""
    free = shutil.disk_usage(home.folder).free
    detail = f"{free / 1024**3:.1f} GB free"
    if free < LITTLE_SPACE:
        return Check("Disk", "warning", detail, "Free some space: Recto records every step.")
    return Check("Disk", "ok", detail)


def sqlite() -> Check:
    """Whether the database is recent enough."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        remedy = "Use a Python that comes with SQLite 3.35 or newer."
        return Check("SQLite", "problem", sqlite3.sqlite_version, remedy)
    return Check("SQLite", "ok", sqlite3.sqlite_version)


def background(tasks: Sequence[TaskHealth]) -> Check:
    """Whether the work beside the requests goes on, in a Recto that runs."""
    broken = [task for task in tasks if task.state == "pausing"]
    if broken:
        names = ", ".join(f"{task.name} ({task.last_error})" for task in broken)
        remedy = "It is tried again by itself. The log in the Recto home says more."
        return Check("Background work", "warning", f"Failed and begins again: {names}", remedy)
    failures = sum(task.failures for task in tasks)
    return Check("Background work", "ok", f"Goes on; failed {failures} times since the start")


def database(*, is_answering: bool) -> Check:
    """Whether the database answers a Recto that runs."""
    if is_answering:
        return Check("Database", "ok", "Answers")
    remedy = "Start the database server. Nothing is lost meanwhile."
    return Check("Database", "problem", "It does not answer; waiting", remedy)


def ledger(wrong_scopes: Sequence[str]) -> Check:
    """Whether the totals that limits are checked against are what the ledger's rows come to."""
    if wrong_scopes:
        detail = f"Totals differ from their rows: {', '.join(wrong_scopes)}"
        remedy = "Please report this. The usage page is right: it sums the rows."
        return Check("Ledger", "problem", detail, remedy)
    return Check("Ledger", "ok", "Totals are what the rows come to")


def git() -> Check:
    """Whether git states can be shown."""
    if shutil.which("git") is None:
        remedy = "Install git to see changed files and branches."
        return Check("git", "warning", "Not found", remedy)
    return Check("git", "ok", "Found")


def ripgrep() -> Check:
    """Whether files can be searched."""
    try:
        search_program()
    except SearchUnavailable as failure:
        return Check("ripgrep", "problem", failure.message, failure.remedy)
    return Check("ripgrep", "ok", "Found")


async def sandbox() -> Check:
    """Whether commands can be held to the folder."""
    level = await find_sandbox()
    if level.kind == "unsandboxed":
        return Check("Sandbox", "warning", f"Unsandboxed: {level.why}", level.remedy)
    if level.kind == "confined":
        found = f"Confined to the folder by Landlock, without an overlay: {level.why}"
        return Check("Sandbox", "warning", found, level.remedy)
    return Check("Sandbox", "ok", "Commands run on an overlay of the folder")


def watches() -> Check:
    """Whether large folders can be watched."""
    if not WATCH_LIMIT.exists():
        return Check("Watching", "ok", "By the system")
    limit = int(WATCH_LIMIT.read_text(encoding="ascii"))
    if limit < FEW_WATCHES:
        remedy = "Raise it: sysctl fs.inotify.max_user_watches=524288"
        return Check("Watching", "warning", f"At most {limit:,} folders", remedy)
    return Check("Watching", "ok", f"Up to {limit:,} folders")
