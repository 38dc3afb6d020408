"""edit_file: one passage replaced by another; every other byte stays as it is."""

from typing import Annotated

import anyio
from msgspec import Meta

from recto.tools.editing.nearest import nearest
from recto.tools.editing.passages import (
    MAX_FOUND,
    FoundPassages,
    find_passages,
    line_of,
    replace_passages,
)
from recto.tools.editing.word import WordEdit, changed_lines, find_changes
from recto.tools.notebook.guard import check_notebook
from recto.tools.notebook.text_edits import edit_cells
from recto.tools.reading.lines import numbered, split_lines
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said
from recto.word import is_word
from recto.workspace import PathChanged, TextFile, encode

MAX_PLACES = 5
MAX_CANDIDATE_LINES = 8
MOST_TRIES = 3


class EditFile(Arguments, frozen=True):
    """What to replace."""

    path: Annotated[str, Meta(description="The file, relative to the folder.")]
    old_string: Annotated[
        str,
        Meta(
            description=(
                "The passage to replace, exactly as it is in the file, with enough around it to "
                "be the only one. Without line numbers."
            )
        ),
    ]
    new_string: Annotated[str, Meta(description="What stands there afterwards, literally.")]
    replace_all: Annotated[
        bool, Meta(description="Replace every such passage; otherwise there must be just one.")
    ] = False


async def run(asked: EditFile, context: ToolContext) -> ToolOutcome:
    """Replace it."""
    if not asked.old_string:
        raise ToolFailure("old_string is empty. Use write_file to write a whole file.")
    if asked.old_string == asked.new_string:
        raise ToolFailure("old_string and new_string are the same, so there is nothing to change.")
    if is_word(asked.path):
        return await edit_document(asked, context)
    by_cell = await edit_cells(
        asked.path, asked.old_string, asked.new_string, context, all_of_them=asked.replace_all
    )
    if by_cell is not None:
        return by_cell
    file = await context.workspace.read_text(asked.path)
    text, outcome = await anyio.to_thread.run_sync(edit, file, asked)
    data = encode(text, file.encoding, bom=file.bom)
    await check_notebook(asked.path, data, context)
    await context.files.write(asked.path, data, expected_hash=file.hash)
    return outcome


async def edit_document(asked: EditFile, context: ToolContext) -> ToolOutcome:
    """Replace a passage of a Word document by tracked changes."""
    word = WordEdit(asked.path, context)
    for tries in range(MOST_TRIES):
        data, document = await word.read()
        found, changes = await find_changes(
            document, asked.old_string, asked.new_string, all_of_them=asked.replace_all
        )
        if not found.spans:
            raise ToolFailure(not_found(asked.path, document.text, asked.old_string))
        if not changes:
            raise ToolFailure(not_unique(asked.path, document.text, found))
        try:
            after = await word.change(data, document, changes)
        except PathChanged:
            # It was saved elsewhere meanwhile: the passage is looked for in what is there now.
            if tries + 1 == MOST_TRIES:
                raise
            continue
        count = len(found.spans)
        what = "the passage" if count == 1 else f"{count} passages"
        shown = changed_lines(document.text, after.text)
        return said(
            f"Replaced {what} in {asked.path} as tracked changes.{await word.warning()} "
            f"It reads now:\n\n{shown}",
            fact="1 tracked edit" if count == 1 else f"{count} tracked edits",
        )
    raise PathChanged(asked.path)


def edit(file: TextFile, asked: EditFile) -> tuple[str, ToolOutcome]:
    """The new text, and what to say. Raises ToolFailure when it is not clear what is meant."""
    found = find_passages(file.text, asked.old_string, all_of_them=asked.replace_all)
    if not found.spans:
        raise ToolFailure(not_found(file.path, file.text, asked.old_string))
    if len(found.spans) > 1 and not asked.replace_all:
        raise ToolFailure(not_unique(file.path, file.text, found))
    return replace_passages(file.text, found.spans, asked.new_string), describe(file, asked, found)


def describe(file: TextFile, asked: EditFile, found: FoundPassages) -> ToolOutcome:
    """What was done, in words and as a few signs."""
    count = len(found.spans)
    line = line_of(file.text, found.spans[0][0])
    what = f"the passage at line {line}" if count == 1 else f"{count} passages"
    how = f", overlooking differences in {found.overlooked}" if found.overlooked else ""
    removed = sum(len(split_lines(file.text[start:end])) for start, end in found.spans)
    added = len(split_lines(asked.new_string)) * count
    return said(f"Replaced {what} in {asked.path}{how}.", fact=f"+{added} \N{MINUS SIGN}{removed}")


def not_found(path: str, text: str, wanted: str) -> str:
    """That a passage is not there, and what is most like it."""
    told = f'"{path}" has no such passage.'
    like = most_like(text, wanted)
    if not like:
        return f"{told} Nothing in it is like it; read the file again."
    return f"{told} {like}Copy the passage exactly."


def most_like(text: str, wanted: str) -> str:
    """The places of a text that are most like a passage, as a paragraph; empty without any."""
    lines = split_lines(text)
    candidates = nearest(lines, split_lines(wanted) or [wanted])
    if not candidates:
        return ""
    shown = "\n\n".join(
        "\n".join(
            numbered(candidate.line + at, line, len(lines))
            for at, line in enumerate(candidate.lines[:MAX_CANDIDATE_LINES])
        )
        for candidate in candidates
    )
    return f"Most like it, with line numbers:\n\n{shown}\n\n"


def not_unique(path: str, text: str, found: FoundPassages) -> str:
    """Where all the passages are."""
    lines = split_lines(text)
    places = [line_of(text, start) for start, _ in found.spans[:MAX_PLACES]]
    shown = "\n".join(numbered(line, lines[line - 1], len(lines)) for line in places)
    more = len(found.spans) - len(places)
    rest = f"\nand {more:,} more" if more else ""
    count = len(found.spans)
    times = f"{count:,} times" if count < MAX_FOUND else f"at least {count:,} times"
    return (
        f'"{path}" has this passage {times}, with line numbers:\n\n'
        f"{shown}{rest}\n\nAdd the lines around the one you mean, or set replace_all."
    )


TOOL = Tool(
    Declaration(
        name="edit_file",
        title="Replace an exact passage; can be undone",
        description=(
            "Replace a passage of a text file or a Word document. old_string must be in it exactly "
            "once, unless replace_all is set; curly and straight quotes, kinds of dashes and white "
            "space at line ends count as equal. new_string is taken literally. Line endings and "
            "encoding of "
            "the file are kept. In a Word document the edit is a tracked change, and formats stay: "
            "leave out \N{PILCROW SIGN} numbers or copy them with their paragraphs; a line without "
            "one is a new paragraph, a paragraph whose line is left out is deleted."
        ),
        parameters=parameters_of(EditFile),
        group="workspace",
        changes=True,
        main="path",
        doing="Editing",
        done="Edited",
    ),
    run,
    EditFile,
    touches=lambda asked: (asked.path,),
)
