"""Output: bounded, decoded across pieces, head and tail."""

from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.tools.shell.output import CommandOutput, shorten

pytestmark = pytest.mark.anyio


async def pieces(chunks: Sequence[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def told_and_kept(chunks: Sequence[bytes], max_chars: int = 1000) -> tuple[str, str]:
    told: list[str] = []

    async def tell(text: str) -> None:
        told.append(text)

    output = CommandOutput(tell, max_chars=max_chars)
    await output.take(pieces(chunks))
    return "".join(told), output.full()


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=5))
async def test_where_the_pieces_end_makes_no_difference(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[a:b] for a, b in zip(edges, edges[1:], strict=False)]

    whole = data.decode("utf-8", "replace")

    assert await told_and_kept(chunks) == (whole, whole)


@given(st.lists(st.text("ab", max_size=30), max_size=10), st.integers(2, 40))
async def test_head_and_tail_are_kept_whatever_comes(texts: list[str], size: int) -> None:
    whole = "".join(texts)
    half = size // 2

    _, kept = await told_and_kept([text.encode() for text in texts], size)

    if len(whole) <= 2 * half:
        assert kept == whole
    else:
        left_out = f"\n[… {len(whole) - 2 * half:,} characters left out …]\n"
        assert kept == whole[:half] + left_out + whole[-half:]


def test_a_short_text_is_not_shortened() -> None:
    assert shorten("abc", 3) == "abc"
    assert shorten("abcdef", 4) == "ab\n[… 2 characters left out …]\nef"


async def test_telling_ends_and_says_so_when_there_is_too_much() -> None:
    told, kept = await told_and_kept([b"x" * 600_000] * 3, 10_000_000)

    assert told == "x" * 1_200_000 + "\n[More output follows; it is not shown while it comes.]\n"
    assert kept == "x" * 1_800_000
