"""read_file: a file or kept output, as numbered lines or as a picture."""

from typing import Annotated

from msgspec import Meta

from recto.messages import Text
from recto.tools.reading.lines import MAX_LINE, show, split_lines
from recto.tools.reading.notebook import notebook_text
from recto.tools.reading.pdf import pdf_text
from recto.tools.reading.picture import media_type, picture
from recto.tools.reading.word import read_foreign, read_word, who_has_open
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said
from recto.word import FOREIGN, WORD_ENDINGS, is_word
from recto.workspace import BinaryFile, TooLarge

HANDLE = "output:"
MAX_OTHER_BYTES = 32_000_000
NAMED = (".pdf", ".ipynb", *WORD_ENDINGS, *FOREIGN)


class ReadFile(Arguments, frozen=True):
    """What to read."""

    path: Annotated[str, Meta(description="The file, relative to the folder, or an output handle.")]
    start_line: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="The first line to read, from 1.")
    ] = None
    end_line: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="The last line to read.")
    ] = None


async def run(asked: ReadFile, context: ToolContext) -> ToolOutcome:
    """Read it."""
    if asked.path.startswith(HANDLE):
        return numbered(await context.outputs.read(asked.path), asked, context)
    if asked.path.casefold().endswith(NAMED):
        return numbered(await other_text(asked.path, context), asked, context)
    try:
        file = await context.workspace.read_text(asked.path)
    except (BinaryFile, TooLarge) as failure:
        return await read_picture(asked.path, context, failure)
    return numbered(file.text, asked, context)


async def other_text(path: str, context: ToolContext) -> str:
    """The text of a file that is known by the end of its name."""
    data = await context.workspace.read_bytes(path, max_bytes=MAX_OTHER_BYTES)
    if path.casefold().endswith(".pdf"):
        return await pdf_text(data, path)
    if is_word(path):
        return await word_lines(data, path, context)
    if path.casefold().endswith(tuple(FOREIGN)):
        return await read_foreign(data, path)
    return await notebook_text(data, path)


async def word_lines(data: bytes, path: str, context: ToolContext) -> str:
    """A Word document's text, and who has it open."""
    real = await context.workspace.real_path(path)
    text = (await read_word(data, real, context.known_documents)).text
    who = await who_has_open(context.workspace, path)
    return text if who is None else f"{text}\n[{who} has this document open.]"


async def read_picture(
    path: str, context: ToolContext, failure: BinaryFile | TooLarge
) -> ToolOutcome:
    """A file that is no text may be a picture. Raises the failure when it is not."""
    data = await context.workspace.read_bytes(path, max_bytes=MAX_OTHER_BYTES)
    kind = media_type(data)
    if kind is None:
        raise failure
    shown = picture(data, path, kind, sees_images=context.sees_images)
    size = f"{max(1, len(data) // 1000):,} kB"
    return ToolOutcome((Text(f"{path} ({kind}, {size})"), shown), fact=size)


def numbered(text: str, asked: ReadFile, context: ToolContext) -> ToolOutcome:
    """The lines that were asked for."""
    lines = split_lines(text)
    start = asked.start_line or 1
    if not lines:
        return said(f"{asked.path} is empty.", fact="empty")
    if start > len(lines) or (asked.end_line is not None and asked.end_line < start):
        asked_for = f"{start} to {asked.end_line}" if asked.end_line else f"from {start}"
        raise ToolFailure(f'"{asked.path}" has {len(lines):,} lines; there are none {asked_for}.')
    # A paragraph of a document is one line: it is shown whole.
    longest = context.room if is_word(asked.path) else MAX_LINE
    shown = show(lines, start=start, end=asked.end_line, room=context.room, max_line=longest)
    return said(shown.text, fact="1 line" if shown.count == 1 else f"{shown.count:,} lines")


TOOL = Tool(
    Declaration(
        name="read_file",
        title="Read a file, whole or by lines",
        description=(
            "Read a file of the folder. Text comes as numbered lines (the number and the tab are "
            "not part of the file). Notebooks and PDF files come as text, pictures as pictures, "
            "Word documents as Markdown, each paragraph behind its number (\N{PILCROW SIGN}12) and "
            "above its comments. Long files are cut, and the end says with which start_line to "
            "read on. Also reads the output handles (output:...) that other tools give."
        ),
        parameters=parameters_of(ReadFile),
        group="workspace",
        changes=False,
        main="path",
        doing="Reading",
        done="Read",
    ),
    run,
    ReadFile,
    touches=lambda asked: () if asked.path.startswith(HANDLE) else (asked.path,),
)
