"""Another value in a TOML text: that value changes, and no other word of the file."""

import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.config.rewriting import Item, with_list, with_value

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
    assert with_value(BEFORE, "chats", "steps", 9) == BEFORE + "  steps = 9\n"


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
        ("chats = { minutes = 1 } # x\n", "chats = { minutes = 1, steps = 9} # x\n"),
        ("['chats']\n\"steps\" = 1", "['chats']\n\"steps\" = 9\n"),
        ('[a]\nb = """[chats]\nsteps = 1"""\n', None),
        ("[a]\nb = '''\n[chats]\n'''''\n", None),
        ("[a]\nb = [ # [chats]\n '#', [1], ] # steps = 1\n", None),
    ],
)
def test_every_way_to_write_a_table_is_understood(text: str, after: str | None) -> None:
    expected = text + "\n[chats]\nsteps = 9\n" if after is None else after
    assert with_value(text, "chats", "steps", 9) == expected


TEXT_C = '[[editor.transforms]]\ntitle = "C"\nprompt = "c"\n'
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


@pytest.mark.parametrize(
    ("items", "after"),
    [
        ([A, B], LIST),
        ([A, B, C], LIST.replace("[logs]", f"{TEXT_C}[logs]")),
        ([{**A, "prompt": "x"}, B], LIST.replace('prompt = "a"', 'prompt = "x"')),
        ([A, {**B, "title": "C"}], LIST.replace('"B"', '"C"')),
        ([A], LIST[: LIST.index("[[", 20)] + "[logs]\n"),
        ([], "# mine\n[logs]\n"),
    ],
)
def test_a_table_of_a_list_that_stays_keeps_its_comments(items: list[Item], after: str) -> None:
    assert with_list(LIST, "editor", "transforms", items) == after


@pytest.mark.parametrize(
    "text",
    [
        "[editor]\ntransforms = [ { title = 'A', prompt = '#' }, # two\n] # three\n",
        "editor.transforms = [ ] # three\n",
        "editor = { transforms = [ ] } # three\n",
    ],
)
def test_a_list_in_brackets_stays_one(text: str) -> None:
    after = with_list(text, "editor", "transforms", [C])
    assert tomllib.loads(after) == {"editor": {"transforms": [C]}}
    assert after.startswith(text[: text.index("[ ")])
    assert after.endswith(" # three\n")


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
    text = first + "".join(draw(COMMENT) + item for item in rest)
    text = text.removesuffix("\n") if draw(st.booleans()) else text
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def untouched(text: str) -> list[str]:
    """The lines that say nothing of what changes."""
    others = re.sub(r"(?ms)^ *\[\[editor.*?(?=^\[[^\[]|\Z)|^transforms.*?^\].*?$", "", text)
    return [line for line in others.splitlines() if not re.match(r" *(chats\b|steps|$)", line)]


def is_within(lines: list[str], others: list[str]) -> bool:
    """Whether all of the lines are among the others, in their order."""
    rest = iter(others)
    return all(line in rest for line in lines)


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
    assert is_within(untouched(text), after.splitlines())
    assert ("\r\n" in text) == ("\r\n" in after) or "\n" not in text
