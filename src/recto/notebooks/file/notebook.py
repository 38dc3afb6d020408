"""A notebook as its file has it: its cells, where each stands in the text, and what is wrong.

nbformat 4. The bytes stay as they are; an edit (`edits.py`) makes a new notebook out of them.
"""

import codecs
import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from recto.notebooks.failures import NoSuchCell, NotebookBroken, NotebookReadOnly
from recto.notebooks.file.json_spans import (
    JsonInvalid,
    JsonItem,
    JsonMember,
    Read,
    read_array,
    read_object,
    read_value,
    skip,
)

CellKind = Literal["code", "markdown", "raw"]
KINDS: tuple[CellKind, ...] = ("code", "markdown", "raw")
MAJOR = 4
NEWEST_MINOR = 5
FIRST_MINOR_WITH_IDS = 5
VERSION_LENGTH = 12
ID_LENGTH = 8
SIGNS = (b"[", b"{", b",")
MOST_SIGNS = 1_500_000
"""Signs of which each can begin a value. Notebooks with many figures have some 100,000."""
MOST_CELLS = 20_000
MOST_PARTS = 200_000
"""Cells, lines and outputs together."""
ID = re.compile(r"[a-zA-Z0-9-_]{1,64}")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell, and the places of its parts in the file."""

    id: str
    kind: CellKind
    source: str
    execution_count: int | None
    outputs: tuple[Mapping[str, Any], ...]
    members: Mapping[str, JsonMember]
    start: int
    end: int

    @property
    def version(self) -> str:
        """What an edit names as its base: it follows from kind and source."""
        return digest(f"{self.kind}\n{self.source}", VERSION_LENGTH)


@dataclass(frozen=True, slots=True)
class Notebook:
    """A whole notebook."""

    text: str
    has_bom: bool
    cells: tuple[Cell, ...]
    members: Mapping[str, JsonMember]
    minor: int
    problem: str
    """Why it can't be changed, as a sentence; empty when it can."""

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        data = self.text.encode()
        return codecs.BOM_UTF8 + data if self.has_bom else data

    @property
    def has_ids(self) -> bool:
        """Whether the file's format has ids of cells."""
        return self.minor >= FIRST_MINOR_WITH_IDS

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What is said of the notebook as a whole."""
        found = self.members.get("metadata")
        return mapping(found.value if found else None)

    @property
    def kernel_name(self) -> str:
        """The kernel that the file names; empty when it names none."""
        name = mapping(self.metadata.get("kernelspec")).get("name")
        return name if isinstance(name, str) else ""

    @property
    def language(self) -> str:
        """The language of its code; empty when the file does not say."""
        spec, info = (mapping(self.metadata.get(key)) for key in ("kernelspec", "language_info"))
        found = info.get("name") or spec.get("language")
        return found if isinstance(found, str) else ""

    def index(self, cell_id: str) -> int:
        """The place of a cell, from 0. Raises NoSuchCell."""
        for place, cell in enumerate(self.cells):
            if cell.id == cell_id:
                return place
        raise NoSuchCell(cell_id)

    def cell(self, cell_id: str) -> Cell:
        """A cell by its id. Raises NoSuchCell."""
        return self.cells[self.index(cell_id)]

    def check_writable(self) -> None:
        """Raises NotebookReadOnly when it can't be changed."""
        if self.problem:
            raise NotebookReadOnly(self.problem)

    def with_ids(self, ids: Sequence[str]) -> "Notebook":
        """The same notebook, its cells named so."""
        pairs = zip(self.cells, ids, strict=True)
        return replace(self, cells=tuple(replace(cell, id=name) for cell, name in pairs))


def parse(data: bytes, *, ids: Sequence[str] | None = None) -> Notebook:
    """Read the bytes of a file. Raises NotebookBroken.

    Cells that have no id in the file get one that follows from their content, or from `ids`.
    """
    # Before anything is built of it: a file of empty lists takes twenty times its size in memory.
    if sum(map(data.count, SIGNS)) > MOST_SIGNS:
        raise NotebookBroken(f"it holds more than {MOST_SIGNS:,} values, which is too much to read")
    has_bom = data.startswith(codecs.BOM_UTF8)
    try:
        text = data[len(codecs.BOM_UTF8) if has_bom else 0 :].decode()
    except UnicodeDecodeError as error:
        raise NotebookBroken(f"it is not in UTF-8 (byte {error.start + 1:,})") from error
    if not text.strip():
        raise NotebookBroken("it is empty: delete it, and make a new notebook")
    try:
        members, end = read_object(text, skip(text, 0), {"cells": CellsReader().read_cells})
        if skip(text, end) != len(text):
            raise JsonInvalid("something follows behind the end", skip(text, end))
    except JsonInvalid as error:
        raise NotebookBroken(f"{error} at {place(text, error.at)}") from error
    return build(text, members, has_bom=has_bom, ids=ids)


class CellsReader:
    """Reads the cells of one notebook, up to a number of parts."""

    def __init__(self) -> None:
        self._parts = 0
        self._cells = 0

    def read_cells(self, text: str, at: int) -> tuple[Any, int]:
        """The cells with the places of their members; whatever else stands there as it is."""
        return self._list(text, at, self._read_cell)

    def _read_cell(self, text: str, at: int) -> tuple[Any, int]:
        self._cells += 1
        if self._cells > MOST_CELLS:
            raise JsonInvalid(f"it has more than {MOST_CELLS:,} cells", at)
        if not text.startswith("{", at):
            return read_value(text, at)
        return read_object(text, at, {"outputs": self._read_items, "source": self._read_items})

    def _read_items(self, text: str, at: int) -> tuple[Any, int]:
        """Outputs, or lines, each with its place."""
        return self._list(text, at, read_value)

    def _list(self, text: str, at: int, read: Read) -> tuple[Any, int]:
        if not text.startswith("[", at):
            return read_value(text, at)
        items, end = read_array(text, at, read)
        self._parts += len(items)
        if self._parts > MOST_PARTS:
            raise JsonInvalid(f"it has more than {MOST_PARTS:,} cells, lines and outputs", at)
        return items, end


def build(
    text: str, members: Sequence[JsonMember], *, has_bom: bool, ids: Sequence[str] | None
) -> Notebook:
    """The notebook of what was read. Raises NotebookBroken."""
    known = {member.key: member for member in members}
    major, minor = version_of(known)
    if major != MAJOR:
        raise NotebookBroken(format_problem(major))
    found = known.get("cells")
    if found is None or not isinstance(found.value, list):
        raise NotebookBroken("it has no list of cells")
    items = cast(list[JsonItem], found.value)
    problems = [doubled(members, "the notebook")]
    if minor > NEWEST_MINOR:
        problems.append(
            f"It is in format 4.{minor}; Recto writes up to 4.{NEWEST_MINOR}, and could lose parts."
        )
    cells = [build_cell(item, number, problems) for number, item in enumerate(items, 1)]
    notebook = Notebook(text, has_bom, tuple(cells), known, minor, next(filter(None, problems), ""))
    return notebook.with_ids(name_cells(cells, ids))


def version_of(members: Mapping[str, JsonMember]) -> tuple[int, int]:
    """The format of the file. Raises NotebookBroken."""
    numbers: list[int] = []
    for key, default in (("nbformat", None), ("nbformat_minor", 0)):
        value = members[key].value if key in members else default
        if type(value) is not int or value < 0:
            raise NotebookBroken(f"{key} is not a number")
        numbers.append(value)
    return numbers[0], numbers[1]


def format_problem(major: int) -> str:
    """Why a file of another format is not read."""
    if major < MAJOR:
        return f"it is in the old format {major}; `jupyter nbconvert --to notebook` brings it to 4"
    return f"it is in format {major}, which is newer than Recto knows"


def build_cell(item: JsonItem, number: int, problems: list[str]) -> Cell:
    """A cell; what keeps it from being changed is added to the problems. Raises NotebookBroken."""
    if not isinstance(item.value, list) or not all(
        isinstance(member, JsonMember) for member in cast(list[Any], item.value)
    ):
        raise NotebookBroken(f"cell {number} is no object")
    members = cast(list[JsonMember], item.value)
    known = {member.key: member for member in members}
    kind = known["cell_type"].value if "cell_type" in known else None
    if kind not in KINDS:
        raise NotebookBroken(f"cell {number} is of no known kind")
    source = source_of(known.get("source"))
    if source is None:
        raise NotebookBroken(f"the source of cell {number} is not text")
    problems.append(doubled(members, f"cell {number}"))
    count = known["execution_count"].value if "execution_count" in known else None
    return Cell(
        id="",
        kind=kind,
        source=source,
        execution_count=count if type(count) is int else None,
        outputs=outputs_of(known.get("outputs"), number) if kind == "code" else (),
        members=known,
        start=item.start,
        end=item.end,
    )


def source_of(member: JsonMember | None) -> str | None:
    """The source: one text, or lines to be joined; None when it is neither."""
    if member is None or isinstance(member.value, str):
        return None if member is None else member.value
    if not isinstance(member.value, list):
        return None
    lines = [item.value for item in cast(list[JsonItem], member.value)]
    return "".join(lines) if all(isinstance(line, str) for line in lines) else None


def outputs_of(member: JsonMember | None, number: int) -> tuple[Mapping[str, Any], ...]:
    """What a cell answered. Raises NotebookBroken."""
    if member is None:
        return ()
    is_list = isinstance(member.value, list)
    found = [item.value for item in cast(list[JsonItem], member.value)] if is_list else []
    if not is_list or not all(isinstance(output, dict) for output in found):
        raise NotebookBroken(f"the outputs of cell {number} are not a list of objects")
    return tuple(found)


def doubled(members: Sequence[JsonMember], where: str) -> str:
    """That a name stands twice in an object: changing one of the two would say nothing clear."""
    for key, count in Counter(member.key for member in members).items():
        if count > 1:
            return f'"{key}" stands twice in {where}.'
    return ""


def name_cells(cells: Sequence[Cell], ids: Sequence[str] | None = None) -> list[str]:
    """The id of each cell: its own if it has one for itself, else the known one, else a new one."""
    own = [file_id(cell) for cell in cells]
    counts = Counter(own)
    content_names = ContentNames(own)
    used = content_names.used
    names: list[str] = []
    for number, cell in enumerate(cells):
        known = ids[number] if ids is not None else ""
        is_alone = counts[own[number]] == 1
        wanted = own[number] if own[number] and (is_alone or not known) else known
        if not wanted or wanted in used:
            wanted = content_names.draw(cell)
        used.add(wanted)
        names.append(wanted)
    return names


def file_id(cell: Cell) -> str:
    """The id that the file gives a cell; empty when it gives none that can be used."""
    named = cell.members["id"].value if "id" in cell.members else None
    return named if isinstance(named, str) and ID.fullmatch(named) else ""


class ContentNames:
    """Ids that the same cells get again after a restart."""

    def __init__(self, own: Sequence[str]) -> None:
        self.used: set[str] = set()
        self._own = frozenset(own)
        # Where the last of equal cells stopped: else each would try all names of those before it.
        self._turns: Counter[str] = Counter()

    def draw(self, cell: Cell) -> str:
        """A name that no other cell has."""
        content = f"{cell.kind}\n{cell.source}"
        turn = self._turns[content]
        while (name := digest(f"{turn}\n{content}", ID_LENGTH)) in self.used or name in self._own:
            turn += 1
        self._turns[content] = turn + 1
        return name


def digest(text: str, length: int) -> str:
    """A short name of a text."""
    # A source may hold half of a surrogate pair, which UTF-8 has no bytes for.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def place(text: str, at: int) -> str:
    """A place of a text in words."""
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return f"line {line:,}, column {column:,}"


def mapping(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one in the place of anything else."""
    return cast(Mapping[str, Any], value) if isinstance(value, dict) else {}
