"""Many texts are counted beside Recto, with the same result."""

import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.processes import InputClosed
from recto.projects import parallel_counting
from recto.projects.parallel_counting import cut_here, cutting_beside
from recto.tokenizer import Count, tokenize
from tests.projects.conftest import Bench

pytestmark = pytest.mark.anyio

TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=50), max_size=9)


async def test_the_counts_come_in_the_order_of_the_texts() -> None:
    rounds: list[Sequence[str]] = [["one", "", "two words", "drei Wörter hier", "\n\n", "東京"], []]
    async with cutting_beside() as cut:
        for texts in rounds:
            assert await cut(texts) == await cut_here(texts) == [tokenize(text) for text in texts]


@settings(deadline=None, max_examples=5)
@given(st.lists(TEXTS, max_size=20))
async def test_any_texts_are_counted_as_they_would_be_here(rounds: list[list[str]]) -> None:
    async with cutting_beside() as cut:
        for texts in rounds:
            assert await cut(texts) == await cut_here(texts)


@pytest.mark.parametrize("deed", ["pass", "input(); print()", "input(); raise SystemExit(9)"])
async def test_a_process_that_ends_early_is_an_error_and_no_endless_wait(
    monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    monkeypatch.setattr(parallel_counting, "PROGRAM", [sys.executable, "-I", "-c", deed])
    with pytest.raises((InputClosed, ValueError)):
        async with cutting_beside() as cut:
            await cut(["some", "texts"])


async def test_files_that_do_not_fit_into_one_batch_are_counted_beside(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(text: str) -> Count:
        raise AssertionError("counted here")

    monkeypatch.setattr(parallel_counting, "tokenize", refuse)
    text = "A long file, of which a chat sends the beginning.\n" * 40_000
    names = [f"{number}.txt" for number in range(5)]
    for name in names:
        (bench.root / name).write_text(name + text, encoding="utf-8")

    found = await bench.count(*names)

    assert set(found.counts) == set(names)
    assert min(count.total for count in found.counts.values()) > 5_000
