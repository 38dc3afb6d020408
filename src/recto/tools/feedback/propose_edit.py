"""propose_edit: an edit of the thread's file, shown as a card; a person applies it or not."""

from typing import Annotated

import anyio.to_thread
from msgspec import Meta

from recto.tools.feedback.passages import find_one, with_plain_lines
from recto.tools.margin import Option
from recto.tools.reading.lines import split_lines
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said

SHOWN = (
    "The user sees the edit of {path}, line {line}, as a card and can apply it. Nothing has "
    "changed yet."
)


class ProposeEdit(Arguments, frozen=True):
    """What to replace."""

    old_string: Annotated[
        str,
        Meta(
            description=(
                "The passage to replace, exactly as it is in the file, with enough around it to "
                "be the only one. Without line numbers."
            )
        ),
    ]
    new_string: Annotated[str, Meta(description="What would stand there, literally.")]
    note: Annotated[str, Meta(description="Why, in a sentence for the user.")] = ""


async def run(asked: ProposeEdit, context: ToolContext) -> ToolOutcome:
    """Show it, if it can be applied now."""
    subject = await context.margin.subject()
    if subject is None:
        raise ToolFailure("This conversation is about no file. Use create_proposal instead.")
    if asked.old_string == asked.new_string:
        raise ToolFailure("old_string and new_string are the same, so there is nothing to change.")
    file = await context.workspace.read_text(subject.path)
    found = await anyio.to_thread.run_sync(find_one, file, asked.old_string, subject.span)
    new = with_plain_lines(asked.new_string)
    title = f"Edit of {subject.path}"
    await context.margin.propose(
        asked.note, (Option(title, "", subject.path, old=found.words, new=new),)
    )
    added, removed = len(split_lines(new)), len(split_lines(found.words))
    words = SHOWN.format(path=subject.path, line=found.line)
    return said(words, fact=f"+{added} \N{MINUS SIGN}{removed}")


TOOL = Tool(
    Declaration(
        name="propose_edit",
        title="Offer an edit as a card; a person applies it",
        description=(
            "Offer an edit of the file that this thread is about. The user sees the difference and "
            "applies it with one click, or not; nothing changes before. old_string must be in the "
            "file exactly once, or once in the thread's passage. new_string is taken literally."
        ),
        parameters=parameters_of(ProposeEdit),
        group="feedback",
        changes=False,
        main="note",
        doing="Proposing an edit",
        done="Proposed an edit",
    ),
    run,
    ProposeEdit,
)
