"""edit_document: one passage of the open document replaced, in the text that people see.

What is selected counts first: a passage that is in the selection is replaced there.
"""

from dataclasses import replace
from functools import partial
from typing import Annotated

import anyio
from msgspec import Meta

from recto.tools.builtin.edit_file import most_like
from recto.tools.document.target import (
    TRIES,
    CellsFile,
    DocumentSnapshot,
    DocumentTarget,
    WordFile,
    counted,
    data_of,
    front_matter,
    look,
)
from recto.tools.editing.passages import FoundPassages, find_passages, line_of, replace_passages
from recto.tools.editing.word import WordEdit, changed_lines, find_in_document, line_changes
from recto.tools.notebook.guard import check_notebook
from recto.tools.notebook.text_edits import with_text
from recto.tools.reading.lines import split_lines
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said
from recto.word import is_word
from recto.workspace import PathChanged, content_hash

EDIT_DOCUMENT = "edit_document"
LOOK = "Look with search_document or read_document, then copy the passage exactly."


class EditDocument(Arguments, frozen=True):
    """What to replace."""

    find: Annotated[
        str,
        Meta(
            description=(
                "The passage to replace, exactly as it is in the document, without line numbers. "
                "Empty only when the document is empty."
            )
        ),
    ]
    replace: Annotated[str, Meta(description="What stands there afterwards, literally.")]


async def run(aim: DocumentTarget, asked: EditDocument, context: ToolContext) -> ToolOutcome:
    """Replace it. Whoever typed at the same place meanwhile goes first: it is looked up again."""
    if asked.find == asked.replace:
        raise ToolFailure("find and replace are the same, so there is nothing to change.")
    for _ in range(TRIES - 1):
        try:
            return await attempt(aim, asked, context)
        except PathChanged:
            continue
    return await attempt(aim, asked, context)


async def attempt(aim: DocumentTarget, asked: EditDocument, context: ToolContext) -> ToolOutcome:
    """Look and replace once. Raises PathChanged when the text is another one by then."""
    seen = await look(aim, context)
    if isinstance(seen.file, WordFile):
        return await track(aim, seen, seen.file, asked, context)
    text, outcome = await anyio.to_thread.run_sync(edit, seen, asked)
    if isinstance(seen.file, CellsFile):
        changed = with_text(seen.file.notebook, text)
        known = content_hash(seen.file.data)
        await context.files.write(aim.path, changed.data, expected_hash=known)
        return outcome
    data = data_of(seen.file, text)
    await check_notebook(aim.path, data, context)
    await context.files.write(aim.path, data, expected_hash=seen.file.hash)
    return outcome


async def track(
    aim: DocumentTarget,
    seen: DocumentSnapshot,
    file: WordFile,
    asked: EditDocument,
    context: ToolContext,
) -> ToolOutcome:
    """Replace it in a Word document, as tracked changes."""
    word = WordEdit(aim.path, context)
    found = await anyio.to_thread.run_sync(find_in_word, seen, asked.find)
    changes = line_changes(seen.text, found.spans[:1], asked.replace)
    after = await word.change(file.data, file.document, changes)
    told = [
        f"Replaced the passage as tracked changes.{await word.warning()}",
        others(len(found.spans) - 1),
        f"It reads now:\n\n{changed_lines(seen.text, after.text)}",
    ]
    return said(" ".join(item for item in told if item), fact="1 tracked edit")


def find_in_word(seen: DocumentSnapshot, wanted: str) -> FoundPassages:
    """Where the passage is in a Word document, with or without the numbers of its paragraphs."""
    if not wanted:
        raise ToolFailure(
            "find is empty. To add something, give the paragraph beside the place as find, and "
            "that paragraph with a new line as replace."
        )
    found = in_selection(seen, wanted) or find_in_document(seen.text, wanted, all_of_them=False)
    if not found.spans:
        raise ToolFailure(f"The document has no such passage. {most_like(seen.text, wanted)}{LOOK}")
    if found.overlooked and len(found.spans) > 1:
        raise ToolFailure(unclear(found))
    return found


def edit(seen: DocumentSnapshot, asked: EditDocument) -> tuple[str, ToolOutcome]:
    """The new text, and what to say. Raises ToolFailure when there is no such passage."""
    found = find(seen, asked.find)
    start, end = span = found.spans[0]
    line = line_of(seen.text, start)
    told = [
        f"Replaced the passage at line {line}.",
        f"Differences in {found.overlooked} were overlooked." if found.overlooked else "",
        others(len(found.spans) - 1),
        on_front_matter(seen, line),
    ]
    removed, added = len(split_lines(seen.text[start:end])), len(split_lines(asked.replace))
    text = replace_passages(seen.text, [span], asked.replace)
    words = " ".join(item for item in told if item)
    return text, said(words, fact=f"+{added} \N{MINUS SIGN}{removed}")


def find(seen: DocumentSnapshot, wanted: str) -> FoundPassages:
    """Where the passage is, the one to replace first. Raises ToolFailure."""
    if not wanted:
        return nowhere(seen)
    found = in_selection(seen, wanted) or find_passages(seen.text, wanted, all_of_them=False)
    if not found.spans:
        raise ToolFailure(f"The document has no such passage. {most_like(seen.text, wanted)}{LOOK}")
    if found.overlooked and len(found.spans) > 1:
        raise ToolFailure(unclear(found))
    return found


def unclear(found: FoundPassages) -> str:
    """That several passages are nearly what is looked for."""
    return (
        f"The document has no such passage, but {counted(len(found.spans), 'passage')} that "
        f"differ from it only in {found.overlooked}. {LOOK}"
    )


def in_selection(seen: DocumentSnapshot, wanted: str) -> FoundPassages | None:
    """Where the passage is in what is selected; None when it is not there."""
    if seen.selected is None:
        return None
    start = seen.selected.start
    found = find_passages(seen.selected.words, wanted, all_of_them=False)
    moved = tuple((start + begin, start + end) for begin, end in found.spans)
    return FoundPassages(moved, found.overlooked) if moved else None


def nowhere(seen: DocumentSnapshot) -> FoundPassages:
    """The place of nothing: all of an empty document. Raises ToolFailure."""
    if seen.text.strip():
        raise ToolFailure(
            "find is empty, but the document is not. To add something, give the line beside the "
            "place as find, and that line with the addition as replace."
        )
    return FoundPassages(((0, len(seen.text)),))


def others(count: int) -> str:
    """How often the passage is there besides."""
    if not count:
        return ""
    return f"The same passage was there {counted(count, 'time')} more; those are as they were."


def on_front_matter(seen: DocumentSnapshot, line: int) -> str:
    """What to say of an edit in the front matter."""
    last = front_matter(seen.lines)
    if line > last:
        return ""
    return (
        f"This is in the front matter (lines 1 to {last}). If the user did not ask for that, put "
        "it back."
    )


DECLARATION = Declaration(
    name=EDIT_DOCUMENT,
    title="Replace a passage of the open document; can be undone",
    description=(
        "Replace a passage of the open document, at once and before the user's eyes. The first "
        "exact occurrence is replaced: in the selection if it is there, else in the document. "
        "replace is taken literally. The answer says how many more there are."
    ),
    parameters=parameters_of(EditDocument),
    group="workspace",
    changes=True,
    main="find",
    doing="Editing",
    done="Edited",
    rules_of="edit_file",
)


IN_WORD = (
    "Replace a passage of the open Word document as a tracked change, before the user's eyes. The "
    "first exact occurrence is replaced: in the selection if it is there, else in the document. "
    "Formats stay. Leave out \N{PILCROW SIGN} numbers or copy them with their paragraphs; a line "
    "without one is a new paragraph, a paragraph whose line is left out is deleted."
)


def edit_document(aim: DocumentTarget) -> Tool:
    """The tool, for one document."""
    declared = replace(DECLARATION, description=IN_WORD) if is_word(aim.path) else DECLARATION
    return Tool(declared, partial(run, aim), EditDocument, touches=lambda _: (aim.path,))
