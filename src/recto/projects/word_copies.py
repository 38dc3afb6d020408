"""A Word document written beside itself as Markdown, its pictures in a folder."""

import posixpath
from urllib.parse import quote

from recto.projects.word_work import MAX_DOCUMENT_BYTES, NotAWordFile, asked
from recto.word import ReadPictures, WordFailure, is_word, word_markdown
from recto.workspace import PathExists, Workspace

MOST_NAMES = 100


async def write_markdown(workspace: Workspace, path: str) -> str:
    """Write the Markdown; answers its path. Raises a WorkspaceFailure."""
    if not is_word(path):
        raise NotAWordFile("Only Word documents become Markdown so.", "Open a .docx file.")
    data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
    try:
        text = await word_markdown(data)
    except WordFailure as failure:
        raise NotAWordFile(failure.message, "Open it in Word.") from failure
    pictures = (await asked(ReadPictures(), data)).parts
    shown = {name: content for name, content in pictures.items() if name in text}
    stem = await free_name(workspace, posixpath.splitext(path)[0])
    folder = f"{stem}-pictures"
    if shown:
        await workspace.create_folder(folder)
    for name, content in shown.items():
        file = posixpath.basename(name)
        await workspace.write(f"{folder}/{file}", content, expected_hash=None)
        text = text.replace(name, f"{quote(posixpath.basename(folder))}/{quote(file)}")
    await workspace.write(f"{stem}.md", text.encode(), expected_hash=None)
    return f"{stem}.md"


async def free_name(workspace: Workspace, stem: str) -> str:
    """A name under which there is neither a text nor pictures."""
    for number in range(1, MOST_NAMES):
        name = stem if number == 1 else f"{stem}-{number}"
        taken = [await workspace.state(f"{name}{end}") for end in (".md", "-pictures")]
        if taken == [None, None]:
            return name
    raise PathExists(f"{stem}.md")
