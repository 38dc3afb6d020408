"""create_proposal: a card with alternatives for the user to choose from; it changes nothing."""

from typing import Annotated

import anyio.to_thread
from msgspec import Meta

from recto.tools.feedback.passages import find_one, with_plain_lines
from recto.tools.margin import Option, ThreadSubject
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said
from recto.workspace import WorkspaceFailure


class Alternative(Arguments, frozen=True):
    """One thing to choose."""

    title: Annotated[str, Meta(description="A few words to choose it by.", min_length=1)]
    detail: Annotated[str, Meta(description="What it means, in Markdown.")] = ""
    path: Annotated[str, Meta(description="The file that choosing it edits, if it does.")] = ""
    old_string: Annotated[
        str,
        Meta(description="The passage that it replaces there, exactly, and the only one such."),
    ] = ""
    new_string: Annotated[str, Meta(description="What would stand there, literally.")] = ""


class CreateProposal(Arguments, frozen=True):
    """What to choose between."""

    question: Annotated[
        str, Meta(description="What the user is asked, in a sentence.", min_length=1)
    ]
    options: Annotated[
        list[Alternative],
        Meta(description="What the user may choose.", min_length=2, max_length=5),
    ]


async def run(asked: CreateProposal, context: ToolContext) -> ToolOutcome:
    """Show the card, if each edit in it can be applied now."""
    subject = await context.margin.subject()
    options = [
        await option(number, item, subject, context) for number, item in enumerate(asked.options, 1)
    ]
    await context.margin.propose(asked.question, options)
    titles = ", ".join(item.title for item in options)
    told = (
        f"The user sees a card with these options: {titles}. Nothing has changed yet. What they "
        "choose is told with their next message. Wait for it."
    )
    return said(told, fact=f"{len(options)} options")


async def option(
    number: int, one: Alternative, subject: ThreadSubject | None, context: ToolContext
) -> Option:
    """An option as it is kept. Raises ToolFailure."""
    if not one.old_string and not one.new_string:
        if one.path:
            raise ToolFailure(
                f"Option {number} has a path, but says neither old_string nor new_string."
            )
        return Option(one.title, one.detail)
    if one.old_string == one.new_string:
        raise ToolFailure(f"Option {number} would change nothing.")
    asked = one.path or (subject.path if subject is not None else "")
    if not asked:
        raise ToolFailure(f"Option {number} is an edit, but has no path.")
    try:
        path = await context.workspace.relative_path(asked)
        within = subject.span if subject is not None and subject.path == path else None
        file = await context.workspace.read_text(path)
        found = await anyio.to_thread.run_sync(find_one, file, one.old_string, within)
        real = await context.workspace.real_path(path)
    except (ToolFailure, WorkspaceFailure) as failure:
        raise ToolFailure(f"Option {number}: {failure}") from failure
    return Option(one.title, one.detail, real, found.words, with_plain_lines(one.new_string))


def touched(asked: CreateProposal) -> tuple[str, ...]:
    """The files that the options are about."""
    return tuple(dict.fromkeys(item.path for item in asked.options if item.path))


TOOL = Tool(
    Declaration(
        name="create_proposal",
        title="Offer a choice as a card",
        description=(
            "Show the user a card with options to choose from, such as versions of a passage. An "
            "option may be an edit: then choosing it applies that. Nothing changes before. What "
            "the user chooses is told with their next message."
        ),
        parameters=parameters_of(CreateProposal),
        group="feedback",
        changes=False,
        main="question",
        doing="Proposing",
        done="Proposed",
    ),
    run,
    CreateProposal,
    touches=touched,
)
