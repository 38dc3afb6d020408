"""read_skill: a skill's text, or a file beside it, in the words of whoever keeps them."""

import pytest

from recto.messages import ToolCall
from recto.tools import (
    Permissions,
    Toolbox,
    ToolFailure,
    ToolOutcome,
    ToolRule,
    ToolRules,
    read_skill,
)
from recto.tools.feedback import FEEDBACK
from tests.tools.bench import Bench, text_of

pytestmark = pytest.mark.anyio


async def shelf(name: str, file: str | None) -> str:
    """Two texts, and nothing else."""
    if name != "tides":
        raise ToolFailure(f"There is no skill {name!r}. There are: tides.")
    return "Noon." if file == "a.md" else "Look up the port.\nThen the day."


def box(permissions: Permissions | None = None) -> Toolbox:
    return Toolbox((read_skill(shelf), *FEEDBACK), permissions or Permissions())


async def call(bench: Bench, **arguments: str) -> ToolOutcome:
    return await box().call(ToolCall("call_1", "read_skill", arguments), bench.context)


async def test_it_reads_the_text_or_a_file_and_says_how_much_it_was(bench: Bench) -> None:
    whole = await call(bench, name="tides")
    assert (text_of(whole), whole.fact) == ("Look up the port.\nThen the day.", "2 lines")
    beside = await call(bench, name="tides", file="a.md")
    assert (text_of(beside), beside.fact) == ("Noon.", "1 line")


async def test_a_skill_that_is_not_there_is_an_answer(bench: Bench) -> None:
    answer = await call(bench, name="ports")
    assert answer.is_error
    assert text_of(answer) == "There is no skill 'ports'. There are: tides."


def test_it_changes_nothing_and_can_be_turned_off() -> None:
    assert "read_skill" in [offer.name for offer in box().offered(plan=True)]
    off = box(Permissions(own=ToolRules(disabled=(ToolRule("read_skill"),))))
    assert "read_skill" not in [offer.name for offer in off.offered()]


def test_some_of_the_tools_are_under_the_same_rules() -> None:
    every = box()
    some = every.only({"read_skill", "unknown"})
    assert [offer.name for offer in some.offered()] == ["read_skill"]
    assert some.permissions is every.permissions
