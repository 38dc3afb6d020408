"""create_proposal: a card with alternatives for the user to choose from; it changes nothing."""

from typing import Annotated

from msgspec import Meta

from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Hands, Outcome, Tool, said


class Alternative(Arguments, frozen=True):
    """One thing to choose."""

    label: Annotated[str, Meta(description="A few words to choose it by.", min_length=1)]
    text: Annotated[str, Meta(description="The whole text of it, in Markdown.")]


class CreateProposal(Arguments, frozen=True):
    """What to choose between."""

    title: Annotated[str, Meta(description="What it is about, in a few words.", min_length=1)]
    alternatives: Annotated[
        list[Alternative],
        Meta(description="What the user may choose.", min_length=1, max_length=6),
    ]
    question: Annotated[str, Meta(description="What the user is asked, in a sentence.")] = ""


async def run(asked: CreateProposal, hands: Hands) -> Outcome:
    """Say that it is shown: the page draws the card from the arguments."""
    del hands
    labels = ", ".join(one.label for one in asked.alternatives)
    told = f"The user sees a card with these alternatives: {labels}. Wait for the answer."
    return said(told, fact=f"{len(asked.alternatives)} alternatives")


TOOL = Tool(
    Declaration(
        name="create_proposal",
        title="Offer alternatives as a card",
        description=(
            "Show the user a card with alternatives to choose from, such as versions of a passage. "
            "It changes no file. The user's choice comes as the next message."
        ),
        parameters=parameters_of(CreateProposal),
        group="feedback",
        changes=False,
        main="title",
        doing="Proposing",
        done="Proposed",
    ),
    run,
    CreateProposal,
)
