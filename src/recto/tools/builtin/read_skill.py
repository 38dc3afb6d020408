"""read_skill: the text of a skill that the user has, or a file beside it."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from msgspec import Meta

from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said

ReadsSkill = Callable[[str, str | None], Awaitable[str]]
"""Reads a skill by its name, or a file beside it. Raises ToolFailure, a WorkspaceFailure."""


class ReadSkill(Arguments, frozen=True):
    """What to read."""

    name: Annotated[str, Meta(description="The name of the skill, as it is listed.")]
    file: Annotated[
        str | None,
        Meta(description="A file beside it, as the skill names it; leave it out for its text."),
    ] = None


DECLARATION = Declaration(
    name="read_skill",
    title="Read a skill, or a file beside it",
    description=(
        "Read what a skill says, by its name. Its text may name files beside it, such as "
        "references/forms.md: read them with file when they are needed, and not before."
    ),
    parameters=parameters_of(ReadSkill),
    group="workspace",
    changes=False,
    main="name",
    doing="Reading the skill",
    done="Read the skill",
)


def read_skill(read: ReadsSkill) -> Tool:
    """The tool, over the skills of one project."""

    async def run(asked: ReadSkill, context: ToolContext) -> ToolOutcome:
        text = await read(asked.name, asked.file)
        lines = text.count("\n") + 1
        return said(text, fact="1 line" if lines == 1 else f"{lines:,} lines")

    return Tool(DECLARATION, run, ReadSkill)
