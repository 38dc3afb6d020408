from hypothesis import given
from hypothesis import strategies as st

from recto.chats.undo.merging import merge

TEXTS = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"d\r\n"]), max_size=12).map(
    b"".join
)
FILES = st.tuples(TEXTS, st.sampled_from([b"", b"end"])).map(b"".join)


def split_lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def numbered(count: int) -> list[bytes]:
    return [b"line %d\n" % number for number in range(count)]


def edited(lines: list[bytes], at: int, line: bytes) -> bytes:
    return b"".join([*lines[:at], line, *lines[at + 1 :]])


@given(FILES, FILES)
def test_a_side_that_changed_nothing_changes_nothing(base: bytes, side: bytes) -> None:
    assert merge(base, side, base) == side
    assert merge(base, base, side) == side


@given(FILES, FILES)
def test_two_sides_that_agree_are_merged_to_what_they_say(base: bytes, side: bytes) -> None:
    assert merge(base, side, side) == side


@given(FILES, FILES, FILES)
def test_a_merge_is_the_same_from_both_sides(base: bytes, one: bytes, other: bytes) -> None:
    assert merge(base, one, other) == merge(base, other, one)


@given(st.data())
def test_a_merge_has_exactly_what_nobody_took_away_and_somebody_put_in(data: st.DataObject) -> None:
    lines = numbered(8)
    ours, theirs = [any_edit(data, lines, name) for name in (b"mine", b"yours")]

    merged = merge(b"".join(lines), b"".join(ours), b"".join(theirs))

    if merged is not None:
        kept = {line for line in lines if line in ours and line in theirs}
        added = {*ours, *theirs} - {*lines}
        assert sorted(split_lines(merged)) == sorted(kept | added)


def any_edit(data: st.DataObject, lines: list[bytes], name: bytes) -> list[bytes]:
    """Some lines taken away, and some put in that are nowhere else."""
    edited: list[bytes] = []
    for at, line in enumerate(lines):
        edited += [b"%s %d\n" % (name, at)] if data.draw(st.booleans()) else []
        edited += [line] if data.draw(st.integers(0, 3)) else []
    return edited


@given(st.data())
def test_edits_of_different_lines_are_both_kept(data: st.DataObject) -> None:
    lines = numbered(8)
    one = data.draw(st.integers(0, 7))
    other = data.draw(st.integers(0, 7).filter(lambda at: at != one))
    both = edited(split_lines(edited(lines, one, b"mine\n")), other, b"yours\n")

    merged = merge(b"".join(lines), edited(lines, one, b"mine\n"), edited(lines, other, b"yours\n"))

    assert merged == both


@given(st.integers(0, 7))
def test_edits_of_the_same_line_contradict_each_other(at: int) -> None:
    lines = numbered(8)
    ours, theirs = edited(lines, at, b"mine\n"), edited(lines, at, b"yours\n")

    assert merge(b"".join(lines), ours, theirs) is None


def test_what_was_added_behind_a_passage_stays_when_the_passage_goes() -> None:
    assert merge(b"a\nai\n", b"a\nai\nmine\n", b"a\n") == b"a\nmine\n"


def test_two_insertions_at_one_place_contradict_each_other() -> None:
    assert merge(b"a\nb\n", b"a\nx\nb\n", b"a\ny\nb\n") is None


def test_line_ends_and_a_missing_last_one_are_kept() -> None:
    assert merge(b"a\r\nb\r\nc", b"A\r\nb\r\nc", b"a\r\nb\r\nC") == b"A\r\nb\r\nC"


def test_a_very_long_stretch_counts_as_one_change() -> None:
    lines = numbered(30_000)
    base = b"".join(lines)
    ours = b"".join(line.upper() for line in lines)

    assert merge(base, ours, edited(lines, 15_000, b"yours\n")) is None
