"""A Jupyter notebook as text: its cells by number, their outputs shortened."""

import re
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from recto.notebooks.failures import NotebookBroken
from recto.notebooks.file.notebook import Cell, parse

AS_TEXT = "recto.notebooks.file.as_text:written_notebook"
"""How a process of its own is told which function reads."""
MAX_OUTPUT = 500
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class NotebookText(msgspec.Struct, array_like=True):
    """A notebook as text, or why it is none."""

    text: str = ""
    why: str = ""


def written_notebook(data: bytes) -> bytes:
    """The same, as bytes: this runs in a process of its own."""
    try:
        found = parse(data)
    except NotebookBroken as failure:
        return msgspec.msgpack.encode(NotebookText(why=plainly(failure.why)))
    cells = (cell_text(number, cell) for number, cell in enumerate(found.cells, 1))
    return msgspec.msgpack.encode(NotebookText(plainly("\n".join(cells))))


def plainly(text: str) -> str:
    """A text without halves of letters, which can't be written down."""
    return text.encode("utf-8", "replace").decode()


def cell_text(number: int, cell: Cell) -> str:
    """One cell with its outputs."""
    pieces = [f"# Cell {number} ({cell.kind})", cell.source]
    for output in cell.outputs:
        text = shortened(output_text(output), MAX_OUTPUT)
        if text:
            pieces += [f"# Output of cell {number}", text]
    return "\n".join(pieces) + "\n"


def shortened(text: str, limit: int) -> str:
    """The beginning of a text, and how much is left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[{len(text) - limit:,} more characters]"


def output_text(output: Mapping[str, Any]) -> str:
    """An output as text, without colours; pictures are only named."""
    found = output.get("data")
    data: Mapping[str, Any] = cast(Mapping[str, Any], found) if isinstance(found, dict) else {}
    if is_error(output):
        text = error_text(output)
    else:
        text = joined(data["text/plain"] if "text/plain" in data else output.get("text"))
    pictures = [f"[{kind}]" for kind in data if kind.startswith("image/")]
    return "\n".join([*filter(None, [ESCAPES.sub("", text).rstrip()]), *pictures])


def error_text(output: Mapping[str, Any]) -> str:
    """The traceback of an error; without one its name and value, if it has them."""
    found = output.get("traceback")
    lines = cast(list[Any], found) if isinstance(found, list) else []
    said = [str(output.get(key) or "") for key in ("ename", "evalue")]
    return "\n".join(line for line in lines if isinstance(line, str)) or ": ".join(
        filter(None, said)
    )


def is_error(output: Mapping[str, Any]) -> bool:
    """Whether an output tells of an error."""
    return isinstance(output.get("traceback"), list)


def joined(lines: Any) -> str:
    """A text that may be kept in lines; what is no text is empty."""
    if isinstance(lines, list):
        return "".join(line for line in cast(list[Any], lines) if isinstance(line, str))
    return lines if isinstance(lines, str) else ""
