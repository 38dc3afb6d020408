"""What kernels answered and no file has yet: written down before anybody sees it.

One file for each notebook, a line for each message, gone as soon as the notebook is saved. After a
crash the outputs are made again out of it. One that has become much larger than the outputs, by a
bar that goes on and on say, is written anew with what they are by then.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

from recto.notebooks.file.arrange import WantedOutputs
from recto.notebooks.kernels.outputs import TAKEN, CellOutputs, Displays

NOTED = TAKEN | {"execute_input"}
NAME_LENGTH = 32
LARGE = 8_000_000
"""Bytes from which on a journal is written anew when it has grown fourfold."""
GROWTH = 4


@dataclass(frozen=True, slots=True)
class NotebookPlace:
    """Which notebook a journal belongs to."""

    project_id: str
    path: str


class OutputsJournal:
    """The journal of one notebook."""

    def __init__(self, folder: Path, place: NotebookPlace) -> None:
        self._folder = folder
        self._path = file_of(folder, place)
        self._place = place
        self._file: TextIO | None = None
        self._cells: dict[str, CellOutputs] = {}
        """The outputs of which it tells."""
        self._full: set[str] = set()
        self._has_older = False
        """Whether it tells of others besides, from before a crash, that no file has yet."""
        self._limit = LARGE

    def begin(self, cell_id: str, outputs: CellOutputs) -> None:
        """A cell is about to run: what it answered before does not count any more."""
        if not self._cells and self._path.exists():
            self._has_older = True
        self._cells[cell_id] = outputs
        self._write({"cell": cell_id})

    def note(self, cell_id: str, kind: str, content: Mapping[str, Any]) -> None:
        """A running cell has answered something."""
        if kind not in NOTED or (self._stays_full(cell_id) and kind == "stream"):
            return
        self._write({"cell": cell_id, "kind": kind, "content": content})
        if self._file is not None and not self._has_older and self._file.tell() > self._limit:
            self._write_anew()

    def forget(self, cell_id: str) -> None:
        """What a cell has answered does not count any more."""
        if self._path.exists():
            is_open = self._file is not None
            self.begin(cell_id, CellOutputs(Displays()))
            if not is_open:
                self.close()

    def follow_move(self, place: NotebookPlace) -> None:
        """Its notebook lies elsewhere now; the head of the file goes along."""
        self.close()
        old, self._path, self._place = self._path, file_of(self._folder, place), place
        if not old.exists():
            return
        _, _, rest = old.read_bytes().partition(b"\n")
        written = self._path.with_suffix(".new")
        written.write_bytes(f"{head_of(place)}\n".encode() + rest)
        written.replace(self._path)
        old.unlink()

    def clear(self) -> None:
        """The notebook's file has it all."""
        self.close()
        self._cells.clear()
        self._has_older = False
        self._limit = LARGE
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def outputs(self) -> dict[str, WantedOutputs]:
        """What cells had answered when the program ended, by their ids."""
        if not self._path.exists():
            return {}
        displays = Displays()
        found: dict[str, CellOutputs] = {}
        with self._path.open(encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                take_line(line, found, displays)
        return {
            cell_id: WantedOutputs(outputs.outputs(), outputs.execution_count)
            for cell_id, outputs in found.items()
        }

    def _stays_full(self, cell_id: str) -> bool:
        """Whether nothing more can be printed, and could not before: this was not kept, then."""
        was_full = cell_id in self._full
        is_full = cell_id in self._cells and self._cells[cell_id].is_full
        (self._full.add if is_full else self._full.discard)(cell_id)
        return was_full and is_full

    def _write_anew(self) -> None:
        """Tell the same in fewer lines. What is there counts until all of the new one is."""
        written = self._path.with_suffix(".new")
        with written.open("w", encoding="utf-8") as file:
            file.write(head_of(self._place) + "\n")
            for cell_id, outputs in self._cells.items():
                file.write(json.dumps({"cell": cell_id, "left_out": outputs.left_out}) + "\n")
                for kind, content in outputs.messages():
                    said = {"cell": cell_id, "kind": kind, "content": content}
                    file.write(json.dumps(said) + "\n")
            self._limit = max(LARGE, GROWTH * file.tell())
        self.close()
        written.replace(self._path)

    def _write(self, said: Mapping[str, Any]) -> None:
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not self._path.exists()
            self._file = self._path.open("a", encoding="utf-8")
            if is_new:
                self._file.write(head_of(self._place) + "\n")
            elif not ends_whole(self._path):
                self._file.write("\n")  # an earlier program ended within a line
        self._file.write(json.dumps(said) + "\n")
        # To the system: from there it survives this program, though not the computer.
        self._file.flush()


def file_of(folder: Path, place: NotebookPlace) -> Path:
    """The file of a notebook's journal."""
    name = hashlib.sha256(f"{place.project_id}\n{place.path}".encode()).hexdigest()
    return folder / f"{name[:NAME_LENGTH]}.jsonl"


def head_of(place: NotebookPlace) -> str:
    """The first line of a journal."""
    return json.dumps({"project": place.project_id, "path": place.path})


def ends_whole(path: Path) -> bool:
    """Whether a file ends with a line end."""
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return True
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def take_line(line: str, found: dict[str, CellOutputs], displays: Displays) -> None:
    """Take in one line; the last one of a program that was ended may be half a one."""
    try:
        said: Any = json.loads(line)
    except ValueError:
        return
    entry = cast(dict[str, Any], said) if isinstance(said, dict) else {}
    cell_id = entry.get("cell")
    if not isinstance(cell_id, str):
        return
    if "kind" not in entry:
        if cell_id in found:
            displays.forget(found[cell_id])
        left_out = entry.get("left_out", 0)
        found[cell_id] = CellOutputs(displays, left_out=left_out if type(left_out) is int else 0)
        return
    found.setdefault(cell_id, CellOutputs(displays)).take(str(entry["kind"]), entry["content"])


def places_in(folder: Path) -> list[NotebookPlace]:
    """The notebooks of which a program that was ended has left something."""
    places: list[NotebookPlace] = []
    for file in sorted(folder.glob("*.jsonl")):
        with file.open(encoding="utf-8", errors="replace") as lines:
            head = lines.readline()
        try:
            said: Any = json.loads(head)
            places.append(NotebookPlace(str(said["project"]), str(said["path"])))
        except (ValueError, KeyError, TypeError):
            file.unlink(missing_ok=True)  # ended before its first line was whole: nothing in it
    return places
