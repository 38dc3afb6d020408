"""add_task: something to be done, noted in the margin beside the passage that it is about."""

from typing import Annotated

import anyio.to_thread
from msgspec import Meta

from recto.tools.feedback.passages import find_one
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said

STAYS = "A task that was noted in the margin stays there; resolve or delete it there."


class AddTask(Arguments, frozen=True):
    """What is to be done, and where."""

    path: Annotated[str, Meta(description="The file, relative to the folder.")]
    passage: Annotated[
        str,
        Meta(
            description=(
                "The words that it is about, exactly as they are in the file, with enough to be "
                "the only such place. Without line numbers."
            )
        ),
    ]
    task: Annotated[
        str, Meta(description="What is to be done or decided there, briefly.", min_length=1)
    ]


async def run(asked: AddTask, context: ToolContext) -> ToolOutcome:
    """Note it."""
    file = await context.workspace.read_text(asked.path)
    found = await anyio.to_thread.run_sync(find_one, file, asked.passage)
    real = await context.workspace.real_path(asked.path)
    await context.margin.add_task(real, found.span, found.words, asked.task)
    told = said(f"The task is noted at {asked.path}, line {found.line}.", fact=f"line {found.line}")
    return ToolOutcome(told.content, fact=told.fact, not_covered=STAYS)


TOOL = Tool(
    Declaration(
        name="add_task",
        title="Note a task beside a passage",
        description=(
            "Note something to be done or decided as a task in the margin, beside the passage of a "
            "text file that it is about. It changes no file. The user sees it there, answers it or "
            "resolves it."
        ),
        parameters=parameters_of(AddTask),
        group="feedback",
        changes=True,
        main="path",
        doing="Noting a task",
        done="Noted a task",
    ),
    run,
    AddTask,
    touches=lambda asked: (asked.path,),
)
