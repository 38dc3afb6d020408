"""A choice is counted as the model in question would count it, with what skills bring along."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import pytest

from recto.clock import SystemIds
from recto.context import TokenCalibration, TokenCounter
from recto.projects import Contexts, RecordNotFound, SelectionCounter, TokenSelection
from recto.tokenizer import tokenize
from recto.workspace import Workspace
from tests.projects.conftest import Bench, LaterClock

pytestmark = pytest.mark.anyio

PROSE = "A tide gauge records two things at once. " * 30
JAPANESE = "潮位計は潮汐を記録する。" * 30


@dataclass(frozen=True, slots=True)
class Switched:
    """A skill that is on."""

    prompt: str
    files: tuple[str, ...] = ()


class Drawer:
    """Skills by their ids."""

    def __init__(self, **skills: Switched) -> None:
        self._skills = skills

    async def usable(self, project_id: str, ids: Sequence[str]) -> list[Switched]:
        return [self._skills[item] for item in ids]


async def contexts_of(bench: Bench, calibration: TokenCalibration) -> Contexts:
    """The contexts of a project of the bench's folder."""
    async with bench.storage.write() as write:
        await bench.storage.projects.add(write, id="p", name="p", path=str(bench.root), settings={})
    clock = LaterClock()
    return Contexts(
        bench.storage,
        bench.counts,
        ids=SystemIds(clock),
        clock=clock,
        open_workspace=opening(bench),
        count_as=calibration.apply,
    )


def opening(bench: Bench) -> Callable[[str], Awaitable[Workspace]]:
    async def open_workspace(_: str) -> Workspace:
        return bench.workspace

    return open_workspace


async def counting(bench: Bench, calibration: TokenCalibration, skills: Drawer) -> SelectionCounter:
    """What counts in a project of the bench's folder."""
    contexts = await contexts_of(bench, calibration)
    counter = TokenCounter(calibration)
    return SelectionCounter(contexts, bench.counts, skills, counter, opening(bench))


async def test_a_list_of_contexts_counts_as_the_chosen_model_does(bench: Bench) -> None:
    (bench.root / "prose.md").write_text(PROSE, encoding="utf-8")
    contexts = await contexts_of(bench, TokenCalibration({"m": (2.0, 3.0)}))
    await contexts.add("p", "Text", ["prose.md"], None)

    (ours,) = (await contexts.page("p", None, 10)).items
    (theirs,) = (await contexts.page("p", None, 10, "m")).items

    assert ours.tokens == tokenize(PROSE).total
    assert theirs.tokens == 2 * tokenize(PROSE).total


async def test_a_model_that_counts_otherwise_gets_its_own_numbers(bench: Bench) -> None:
    (bench.root / "prose.md").write_text(PROSE, encoding="utf-8")
    (bench.root / "ja.md").write_text(JAPANESE, encoding="utf-8")
    tokens = await counting(
        bench, TokenCalibration({"m": (2.0, 3.0)}), Drawer(s=Switched("Be brief."))
    )
    chosen = TokenSelection(["prose.md", "ja.md"], skill_ids=["s"], additional_prompt="In French.")

    ours, theirs = await tokens.calculate("p", chosen), await tokens.calculate("p", chosen, "m")

    assert (tokenize(PROSE).other, tokenize(JAPANESE).ascii) == (0, 0)
    assert theirs.files == {
        "ja.md": 3 * ours.files["ja.md"],
        "prose.md": 2 * ours.files["prose.md"],
    }
    assert theirs.skills == {"s": 2 * ours.skills["s"]}
    assert theirs.additional_prompt == 2 * ours.additional_prompt
    assert (
        theirs.total
        == theirs.deduplicated
        == sum(theirs.files.values()) + 2 * (ours.skills["s"] + ours.additional_prompt)
    )


async def test_the_files_of_a_skill_count_as_its_own_and_are_sent_once(bench: Bench) -> None:
    (bench.root / "prose.md").write_text(PROSE, encoding="utf-8")
    one = Switched("Be brief.", ("prose.md", "gone.md"))
    tokens = await counting(bench, TokenCalibration(), Drawer(one=one, two=Switched("Be brief.")))

    tally = await tokens.calculate(
        "p", TokenSelection(["prose.md"], skill_ids=["one", "two", "one"])
    )

    prose, prompt = tokenize(PROSE).total, tokenize("Be brief.").total
    assert tally.skills == {"one": prompt + prose, "two": prompt}
    assert (tally.total, tally.deduplicated) == (2 * prose + 2 * prompt, prose + 2 * prompt)
    assert (tally.overlapping, tally.missing) == (["prose.md"], ["gone.md"])


async def test_a_context_that_is_gone_is_named(bench: Bench) -> None:
    tokens = await counting(bench, TokenCalibration(), Drawer())

    with pytest.raises(RecordNotFound, match="There is no context c1"):
        await tokens.calculate("p", TokenSelection(context_ids=["c1"]))
