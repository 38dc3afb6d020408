"""`recto models get`: fetches a model that runs on this computer, or takes any GGUF file."""

import asyncio
import sys
from pathlib import Path

from recto.access import FileRefused, ListedFile, LocalModels, Models
from recto.app import ModelConnections
from recto.cli.failures import CommandFailed
from recto.clock import SystemClock
from recto.config import ConfigFailure, Home, load_settings
from recto.llm import DownloadFailed

STOPPED = 130
GB = 1e9


def get_model(home: Home, models: Models, name: str | None) -> int:
    """Fetch a model of the list, take a file, or say what there is."""
    file_list = load_settings(home.settings_file).models.file_list
    lines = ModelConnections(home, SystemClock())
    local = LocalModels(home, models, lines.fetch_file, file_list=file_list)
    try:
        if name is None:
            print_list(local)
            return 0
        if is_path(name):
            added = local.add(str(Path(name).expanduser().absolute()))
            print(f"{added.id} runs {added.path}.")
            return 0
        return asyncio.run(fetch(local, lines, local.find(name)))
    except (FileRefused, DownloadFailed, ConfigFailure) as failure:
        raise CommandFailed(str(failure)) from failure
    except KeyboardInterrupt:
        print(f"\nStopped. What has come is kept: recto models get {name}", file=sys.stderr)
        return STOPPED


def is_path(name: str) -> bool:
    """Whether a file is meant, and not a model of the list."""
    return name.endswith(".gguf") or "/" in name or name.startswith("~")


async def fetch(local: LocalModels, lines: ModelConnections, listed: ListedFile) -> int:
    """Fetch a model, and show how far it is."""
    progress = DownloadProgress(listed)
    try:
        await local.fetch(listed, progress.tell)
    finally:
        progress.end()
        await lines.close()
    print(f"{listed.model_id} is ready. Take it for new chats with:")
    print(f"  recto models use {listed.model_id}")
    return 0


def print_list(local: LocalModels) -> None:
    """Print what can be fetched."""
    for item in local.listed():
        there = "here" if local.place(item).exists() else f"{item.bytes / GB:.1f} GB"
        memory = f"{item.memory_bytes / GB:.1f} GB of memory"
        print(f"{item.id:16}{there:10}{memory:22}{item.licence:14}{item.about}")


class DownloadProgress:
    """How far a fetch is: one line that is written over in a terminal, else a line per tenth."""

    def __init__(self, listed: ListedFile) -> None:
        self._name = listed.name
        self._whole = listed.bytes
        self._is_terminal = sys.stderr.isatty()
        self._last = -1

    def tell(self, done: int) -> None:
        """Show how much there is, when that says something new."""
        step = done * 100 // self._whole
        step = step if self._is_terminal else step // 10 * 10
        if step == self._last:
            return
        self._last = step
        words = f"{self._name}: {done / GB:.2f} of {self._whole / GB:.2f} GB, {step} %"
        end = "" if self._is_terminal else "\n"
        start = "\r" if self._is_terminal else ""
        print(f"{start}{words}", end=end, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line."""
        if self._is_terminal and self._last >= 0:
            print(file=sys.stderr)
