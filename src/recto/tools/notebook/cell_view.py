"""Cells as a model reads them: source whole, outputs cut, the rest by handle, pictures apart."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, cast

from recto.messages import Image
from recto.notebooks import Cell, is_error, joined, output_text
from recto.tools.reading.picture import MAX_BYTES, media_type
from recto.tools.tool import ToolContext

MAX_OUTPUT = 300
MAX_TRACEBACK = 500
MAX_HANDLES = 20
MAX_PICTURES = 5


def heading_line(number: int, cell: Cell) -> str:
    """What stands above a cell."""
    ran = f", ran as [{cell.execution_count}]" if cell.execution_count is not None else ""
    return f"# Cell {number} ({cell.kind}, id {cell.id}, version {cell.version}{ran})"


class CellViewer:
    """Shows cells of one call, with handles for what is too long."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._handles = 0

    async def cell(self, number: int, cell: Cell) -> str:
        """One cell with its outputs."""
        return "\n".join(
            [heading_line(number, cell), cell.source, *await self.outputs(cell.outputs)]
        )

    async def outputs(self, outputs: Sequence[Mapping[str, Any]]) -> list[str]:
        """Outputs, each behind a line."""
        texts = [(output, output_text(output)) for output in outputs]
        shown = [(output, text) for output, text in texts if text]
        return [
            line
            for output, text in shown
            for line in ("# Output", await self._cut(text, is_traceback=is_error(output)))
        ]

    async def _cut(self, text: str, *, is_traceback: bool) -> str:
        limit = MAX_TRACEBACK if is_traceback else MAX_OUTPUT
        if len(text) <= limit:
            return text
        self._handles += 1
        where = "read this cell alone to get a handle of all"
        if self._handles <= MAX_HANDLES:
            where = f"all is kept as {await self._context.outputs.keep(text)}, for read_file"
        notice = f"[{len(text) - limit:,} more characters; {where}]"
        # The end of a traceback says what went wrong.
        return f"{notice}\n{text[-limit:]}" if is_traceback else f"{text[:limit]}\n{notice}"


def pictures(outputs: Sequence[Mapping[str, Any]], context: ToolContext) -> list[Image]:
    """The pictures among outputs, for a model that sees."""
    if not context.sees_images:
        return []
    found: list[Image] = []
    for output in outputs:
        data = output.get("data")
        values: Mapping[str, Any] = cast(Mapping[str, Any], data) if isinstance(data, dict) else {}
        found += [
            picture
            for kind in ("image/png", "image/jpeg")
            if (picture := decoded(joined(values.get(kind)))) is not None
        ]
    return found[:MAX_PICTURES]


def decoded(text: str) -> Image | None:
    """A picture out of its letters; None when it is none that models read."""
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except (ValueError, binascii.Error):
        return None
    kind = media_type(data)
    return Image(kind, data) if kind is not None and len(data) <= MAX_BYTES else None
