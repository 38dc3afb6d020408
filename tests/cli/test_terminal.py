"""What the terminal is shown: nothing hidden, and a diff that reads forwards."""

from difflib import unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.cli.changes import describe_changes, turned
from recto.cli.terminal import exact, tame

LINES = st.lists(st.sampled_from(["a", "b", "-- c", "++ d", "@@ -1 +1 @@", ""]), max_size=12)


@pytest.mark.parametrize(
    ("text", "shown", "decided_by"),
    [
        ("Ebb.\n\tTide", "Ebb.\n\tTide", "Ebb.\\n\\tTide"),
        ("rm x\r\x1b[2Kls", "rm x\\r\\x1b[2Kls", "rm x\\r\\x1b[2Kls"),
        ("a\u202eb\u200bc", "a\\u202eb\u200bc", "a\\u202eb\\u200bc"),
        ("\U000e0041\x9b31m", "\\U000e0041\\x9b31m", "\\U000e0041\\x9b31m"),
        ("\ud800", "\\ud800", "\\ud800"),
        ("mot\xa0: naïve 日本 👍", "mot\xa0: naïve 日本 👍", "mot\\xa0: naïve 日本 👍"),
    ],
)
def test_what_can_not_be_seen_is_written_out(text: str, shown: str, decided_by: str) -> None:
    assert (tame(text), exact(text)) == (shown, decided_by)


@given(st.text())
def test_what_people_decide_by_is_one_line_that_can_be_seen(text: str) -> None:
    assert exact(text).isprintable()
    assert not set(tame(text)) & set("\r\x1b\x07\x08\x7f\x9b\u202e")


@given(LINES, LINES)
def test_a_diff_turned_around_is_the_diff_the_other_way(old: list[str], new: list[str]) -> None:
    back = list(unified_diff(new, old, "a/x", "b/x", lineterm=""))
    forth = list(unified_diff(old, new, "a/x", "b/x", lineterm=""))
    shown = list(turned(back))
    assert replayed(old, shown) == new
    assert shown[:2] == forth[:2]


def replayed(old: list[str], diff: list[str]) -> list[str]:
    """Lines as a diff leaves them, by its hunks alone."""
    made: list[str] = []
    at = 0
    rest = diff[2:]
    while rest:
        start = int(rest[0].split()[1][1:].partition(",")[0])
        length = rest[0].split()[1].partition(",")[2]
        size = int(length) if length else 1
        begin = start - 1 if size else start
        made += old[at:begin]
        at = begin
        taken = 1
        added = rest[0].split()[2].partition(",")[2]
        left, right = size, int(added) if added else 1
        while left or right:
            line = rest[taken]
            if line[0] in " -":
                assert old[at] == line[1:]
                at += 1
                left -= 1
            if line[0] in " +":
                made.append(line[1:])
                right -= 1
            taken += 1
        rest = rest[taken:]
    return made + old[at:]


def test_a_missing_line_end_stays_with_its_line() -> None:
    diff = ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-new", "\\ No newline at end of file", "+old"]
    assert list(turned(diff)) == [
        "--- a/x",
        "+++ b/x",
        "@@ -1 +1 @@",
        "-old",
        "+new",
        "\\ No newline at end of file",
    ]


def test_what_has_no_diff_is_said_in_a_word() -> None:
    files = [
        {"path": "new", "action": "remove", "words": "", "diff": ""},
        {"path": "old.png", "action": "recreate", "words": "", "diff": ""},
        {"path": "same", "action": "nothing", "words": "Nothing is left.", "diff": ""},
        {"path": "mine", "action": "conflict", "words": "It is left as it is.", "diff": ""},
    ]
    assert list(describe_changes(files)) == [
        "new: created",
        "old.png: deleted",
        "mine: It is left as it is.",
    ]
