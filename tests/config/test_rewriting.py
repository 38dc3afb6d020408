"""Another value in a TOML text: that value changes, and no other word of the file."""

import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.config.rewriting import Item, with_list, with_value
from recto.config.statements import comments, statements

BEFORE = """# Ada's settings
[server] # where
port = 9000  # not 7457

  [chats]
  review = "ask" # while I learn it
# the end
"""


def test_a_value_is_replaced_where_it_stands() -> None:
    assert with_value(BEFORE, "chats", "review", "direct") == BEFORE.replace('"ask"', '"direct"')


def test_a_new_value_goes_to_the_lines_of_its_table() -> None:
    line = '  review = "ask" # while I learn it\n'
    assert with_value(BEFORE, "chats", "steps", 9) == BEFORE.replace(line, line + "steps = 9\n")


def test_a_new_table_goes_to_the_end() -> None:
    after = with_value(BEFORE, "editor", "suggest", "off")
    assert after == BEFORE + '\n[editor]\nsuggest = "off"\n'


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", "[chats]\nsteps = 9\n"),
        ("[chats]", "[chats]\nsteps = 9\n"),
        ("[chats]\r\n# x\r\nsteps=1\r\n", "[chats]\r\n# x\r\nsteps=9\r\n"),
        ("[chats]\r\n", "[chats]\r\nsteps = 9\r\n"),
        ("chats.minutes = 1 # x\n[logs]\n", "chats.minutes = 1 # x\nchats.steps = 9\n[logs]\n"),
        ("chats = { minutes = 1 } # x\n", "chats = { minutes = 1, steps = 9 } # x\n"),
        ("['chats']\n\"steps\" = 1", "['chats']\n\"steps\" = 9"),
        ('[a]\nb = """[chats]\nsteps = 1"""\n', None),
        ("[a]\nb = '''\n[chats]\n'''''\n", None),
        ("[a]\nb = [ # [chats]\n '#', [1], ] # steps = 1\n", None),
    ],
)
def test_every_way_to_write_a_table_is_understood(text: str, after: str | None) -> None:
    expected = text + "\n[chats]\nsteps = 9\n" if after is None else after
    assert with_value(text, "chats", "steps", 9) == expected


LIST = """# mine
[[editor.transforms]]
title = "A" # a
prompt = "a"

# about B
[[editor.transforms]]
# in B
title = "B"
prompt = '''
b'''

[logs]
"""
A: Item = {"title": "A", "prompt": "a"}
B: Item = {"title": "B", "prompt": "b"}
C: Item = {"title": "C", "prompt": "c"}
TEXT_A = '# mine\n[[editor.transforms]]\ntitle = "A" # a\nprompt = "a"\n'
TEXT_B = "# about B\n[[editor.transforms]]\n# in B\ntitle = \"B\"\nprompt = '''\nb'''\n"
TEXT_C = '[[editor.transforms]]\ntitle = "C"\nprompt = "c"\n'


@pytest.mark.parametrize(
    ("items", "after"),
    [
        ([A, B], LIST),
        ([B, A], f"{TEXT_B}\n{TEXT_A}\n[logs]\n"),
        ([A, B, C], f"{TEXT_A}\n{TEXT_B}\n{TEXT_C}\n[logs]\n"),
        ([A, C], f"{TEXT_A}\n# about B\n# in B\n{TEXT_C}\n[logs]\n"),
        ([B], f"# mine\n# a\n{TEXT_B}\n\n[logs]\n"),
        ([], "# mine\n# a\n\n# about B\n# in B\n\n[logs]\n"),
        ([{**A, "prompt": "x"}, B], LIST.replace('prompt = "a"', 'prompt = "x"')),
    ],
)
def test_a_table_of_a_list_keeps_its_words_wherever_it_goes(items: list[Item], after: str) -> None:
    assert with_list(LIST, "editor", "transforms", items) == after


def test_comments_inside_a_list_in_one_value_move_above_it() -> None:
    text = "[editor]\ntransforms = [ # one\n  { title = 'A', prompt = '#' }, # two\n] # three\n"
    after = with_list(text, "editor", "transforms", [C])
    assert after == (
        '[editor]\n# one\n# two\ntransforms = [{ title = "C", prompt = "c" }] # three\n'
    )


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
# Where the mark stands, a comment may be.
LINE = WORDS.map(lambda text: re.sub(r"[\x00-\x08\x0a-\x1f\x7f\u00a4]", "", text))
COMMENT = st.one_of(st.just(""), LINE.map(lambda text: f" # {text}"))
VALUE = st.sampled_from(
    [
        "-9",
        "true",
        "[]",
        "1979-05-27T07:32:00Z",
        '"\\"#[chats]"',
        '"""\n[chats]\nsteps=1#"""',
        "'''a''b''''",
        "[¤\n1, [2] ]",
        "{ a = 1, b = [ 2, 3 ] }",
    ]
)
NAME = st.sampled_from(["a", "b-c", '"d e"', "'f.g'", '"h#"'])
OTHER = st.dictionaries(NAME, VALUE, max_size=3).map(
    lambda values: "".join(f"{name} = {value}¤\n" for name, value in values.items())
)
CHATS = st.sampled_from(
    ["[chats]¤\nsteps = 5¤\n", "[ chats ]¤\n¤\n", "['chats']\nminutes = 1.5¤\n", "¤\n"]
)
CHATS_AT_THE_ROOT = st.sampled_from(["chats.steps = 3¤\n", "chats = { steps = 3 }¤\n"])
ITEM = '[[editor.transforms]]¤\n¤\n  title = \'T\'¤\nprompt = """P"""¤\n¤\n'
EDITOR = st.sampled_from(
    [
        "",
        ITEM,
        f"[editor]¤\nsuggest='off'¤\n¤\n{ITEM}{ITEM}",
        "[editor]¤\ntransforms = [¤\n{title='T',prompt='#'}¤\n]¤\n",
    ]
)


@st.composite
def files(draw: st.DrawFn) -> str:
    """A file with our tables in any form, others around them, and comments everywhere."""
    at_the_root = draw(st.one_of(st.just(""), CHATS_AT_THE_ROOT))
    others = [f"[other{at}]¤\n{draw(OTHER)}" for at in range(draw(st.integers(0, 2)))]
    tables = [draw(EDITOR), *([] if at_the_root else [draw(CHATS)]), *others]
    text = "".join(["¤\n", at_the_root, *draw(st.permutations(tables))])
    first, *rest = text.split("¤")
    text = first + "".join(draw(COMMENT) + one for one in rest)
    text = text.removesuffix("\n") if draw(st.booleans()) else text
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def all_comments(text: str) -> list[str]:
    return sorted(comments(text, (0, len(text))))


def other_tables(text: str) -> list[str]:
    """The statements that are not ours, byte by byte."""
    return [
        text[one.start : one.end].rstrip("\r\n")
        for one in statements(text)
        if one.path[0] not in ("chats", "editor")
    ]


ITEMS = st.lists(st.fixed_dictionaries({"title": WORDS, "prompt": WORDS}), max_size=3)


@given(files(), st.integers(1, 99), WORDS, ITEMS)
def test_other_values_change_no_comment_and_no_other_table(
    text: str, steps: int, model: str, items: list[Item]
) -> None:
    expected: dict[str, Any] = tomllib.loads(text)
    expected.setdefault("chats", {})["steps"] = steps
    editor = expected.setdefault("editor", {})
    editor |= {"suggest_model": model, "transforms": items}
    after = with_value(text, "chats", "steps", steps)
    after = with_value(after, "editor", "suggest_model", model)
    after = with_list(after, "editor", "transforms", items)
    said = tomllib.loads(after)
    said["editor"].setdefault("transforms", [])
    assert said == expected
    assert all_comments(after) == all_comments(text)
    assert other_tables(after) == other_tables(text)
    assert ("\r\n" in text) == ("\r\n" in after) or "\n" not in text
