"""A Jupyter notebook as text, read in a process of its own: the file may be hostile."""

import msgspec

from recto.notebooks import AS_TEXT, NotebookText
from recto.processes import TooMuchToRead, read_apart
from recto.tools.tool import ToolFailure


async def notebook_text(data: bytes, path: str) -> str:
    """The cells, each behind a line with its number and kind. Raises ToolFailure."""
    try:
        read = msgspec.msgpack.decode(await read_apart(AS_TEXT, data), type=NotebookText)
    except TooMuchToRead as failure:
        raise ToolFailure(f'"{path}" can\'t be read as a notebook. {failure.message}') from failure
    if read.why:
        raise ToolFailure(f'"{path}" is not a notebook that can be read: {read.why}.')
    return read.text
