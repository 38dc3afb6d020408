"""Output arrives in pieces; lines come out whole."""

from hypothesis import given
from hypothesis import strategies as st

from recto.workspace.ripgrep import MAX_LINE_BYTES, OutputSplitter


@given(st.lists(st.binary(max_size=10)))
def test_lines_are_whole_however_the_output_was_cut(chunks: list[bytes]) -> None:
    lines = OutputSplitter(b"\n")

    found = [line for chunk in chunks for line in lines.feed(chunk)]

    assert found == b"".join(chunks).split(b"\n")[:-1]


def test_a_line_without_end_is_dropped_and_counted() -> None:
    lines = OutputSplitter(b"\n")
    half = b"x" * (MAX_LINE_BYTES // 2 + 1)

    assert lines.feed(b"first\n" + half) == [b"first"]
    assert lines.feed(half) == []
    assert lines.feed(half + half) == []
    assert lines.feed(b"tail\nnext\n") == [b"next"]
    assert lines.dropped == 1
