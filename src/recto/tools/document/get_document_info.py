"""get_document_info: the open document in a few facts, and what is selected in it."""

from functools import partial

from recto.tools.document.target import (
    DocumentSnapshot,
    DocumentTarget,
    counted,
    front_matter,
    look,
)
from recto.tools.editing.passages import line_of
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said

MOST_SELECTED = 4_000
"""The most characters of a selection that are shown."""


class GetDocumentInfo(Arguments, frozen=True):
    """Nothing needs to be said."""


async def run(aim: DocumentTarget, asked: GetDocumentInfo, context: ToolContext) -> ToolOutcome:
    """Tell the facts."""
    seen = await look(aim, context)
    lines = seen.lines
    last = front_matter(lines)
    facts = [
        f"Name: {aim.path}",
        f"Lines: {len(lines):,}",
        f"Words: {seen.words:,}",
        f"Characters: {len(seen.text):,}",
        f"Front matter: lines 1 to {last}" if last else "",
        f"Selection: {selection(seen, min(MOST_SELECTED, context.room // 2))}",
    ]
    return said("\n".join(fact for fact in facts if fact), fact=counted(len(lines), "line"))


def selection(seen: DocumentSnapshot, most: int) -> str:
    """What is selected, where, as far as there is room."""
    selected = seen.selected
    if selected is None:
        return "none"
    first = line_of(seen.text, selected.start)
    if not selected.words:
        return f"none; the cursor is in line {first}"
    last = line_of(seen.text, selected.end)
    where = f"line {first}" if first == last else f"lines {first} to {last}"
    more = len(selected.words) - most
    rest = f"\n[{more:,} more characters are selected.]" if more > 0 else ""
    return f"{where}, {counted(len(selected.words), 'character')}:\n{selected.words[:most]}{rest}"


DECLARATION = Declaration(
    name="get_document_info",
    title="Name, size and selection of the open document",
    description=(
        "The open document's name, how many lines, words and characters it has, where its front "
        "matter is, and what the user has selected."
    ),
    parameters=parameters_of(GetDocumentInfo),
    group="workspace",
    changes=False,
    doing="Looking",
    done="Looked",
    rules_of="read_file",
)


def get_document_info(aim: DocumentTarget) -> Tool:
    """The tool, for one document."""
    return Tool(DECLARATION, partial(run, aim), GetDocumentInfo, touches=lambda _: (aim.path,))
