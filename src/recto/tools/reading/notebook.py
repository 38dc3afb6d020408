"""A Jupyter notebook as text: its cells by number, their outputs shortened."""

import re
from typing import Any

import msgspec

from recto.tools.tool import ToolFailure

MAX_OUTPUT = 500
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
Lines = str | list[str]


class CellOutput(msgspec.Struct):
    """What a cell answered: a stream, a value in several forms, or an error."""

    output_type: str = ""
    text: Lines = ""
    data: dict[str, Any] = {}
    traceback: list[str] = []


class Cell(msgspec.Struct):
    """One cell, of which only what is shown is read."""

    cell_type: str
    source: Lines = ""
    outputs: list[CellOutput] = []


class Notebook(msgspec.Struct):
    """The file."""

    cells: list[Cell]


def notebook_text(data: bytes, path: str) -> str:
    """The cells, each behind a line with its number and kind."""
    try:
        found = msgspec.json.decode(data, type=Notebook)
    except msgspec.DecodeError as error:
        told = f'"{path}" is not a notebook that can be read: {error}.'
        raise ToolFailure(told) from error
    return "\n".join(cell_text(number, cell) for number, cell in enumerate(found.cells, 1))


def cell_text(number: int, cell: Cell) -> str:
    """One cell with its outputs."""
    pieces = [f"# Cell {number} ({cell.cell_type})", joined(cell.source)]
    for output in cell.outputs:
        text = output_text(output)
        if text:
            pieces += [f"# Output of cell {number}", text]
    return "\n".join(pieces) + "\n"


def output_text(output: CellOutput) -> str:
    """An output as text; pictures are only named."""
    plain = output.data.get("text/plain")
    if output.traceback:
        text = "\n".join(output.traceback)
    elif isinstance(plain, str | list):
        text = joined(msgspec.convert(plain, Lines))
    else:
        text = joined(output.text)
    pictures = [f"[{kind}]" for kind in output.data if kind.startswith("image/")]
    text = "\n".join([*filter(None, [ESCAPES.sub("", text).rstrip()]), *pictures])
    if len(text) <= MAX_OUTPUT:
        return text
    return f"{text[:MAX_OUTPUT]}\n[{len(text) - MAX_OUTPUT:,} more characters]"


def joined(lines: Lines) -> str:
    """A text that may be kept in lines."""
    return lines if isinstance(lines, str) else "".join(lines)
