"""What tools that make files share: folders on the way, and text as bytes."""

from recto.tools.tool import ToolContext, ToolFailure
from recto.word import is_word
from recto.workspace import NotAFolder, encode


async def make_folders(path: str, context: ToolContext) -> None:
    """Make the folders on the way to a path that are not there; each is a change of its own."""
    folder = ""
    for name in path.split("/")[:-1]:
        folder = f"{folder}/{name}" if folder else name
        real = await context.workspace.real_path(folder)
        state = await context.workspace.state(real)
        if state is None:
            await context.files.create_folder(real)
        elif state.kind != "folder":
            raise NotAFolder(folder)


def refuse_documents(path: str) -> None:
    """Refuse to write text into what must be a package. Raises ToolFailure."""
    if is_word(path):
        raise ToolFailure(
            f'"{path}" would be a Word document, which is no text. Write Markdown (.md) instead, '
            "or change a Word document with edit_file."
        )


def as_bytes(text: str) -> bytes:
    """The bytes of a new text file. Raises NotRepresentable for half a letter."""
    return encode(text, "utf-8", bom=False)


def count_lines(text: str) -> str:
    """How many lines a text has, in words."""
    count = text.count("\n") + (not text.endswith("\n") and text != "")
    return "1 line" if count == 1 else f"{count:,} lines"
