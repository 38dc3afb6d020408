"""CSL-JSON is edited one member at a time; every other byte stays."""

import json
import random
from typing import Any

import pytest

from recto.references.csl_json import (
    CslEntry,
    CslSource,
    add_item,
    parse_csl,
    set_members,
    span_of_removal,
)
from recto.references.failures import LibraryUnreadable, ReferenceInvalid
from tests.examples import examples
from tests.growth import is_linear

FILE = """[
  {"id": "pugh1987", "type": "book",
   "title":  "Tides \\u2013 Surges", "volume": 1.50, "author": [{"family": "Pugh"}]},
  17,
  {
    "type": "article",
    "id": 12
  }
]
"""


def entry_of(source: CslSource, key: str) -> CslEntry:
    found = source.entry(key)
    assert found is not None
    return found


def without(entry: CslEntry) -> str:
    start, end = span_of_removal(entry)
    return entry.source.text[:start] + entry.source.text[end:]


def edited(key: str, **changes: Any) -> str:
    return set_members(entry_of(parse_csl(FILE), key), changes)


def test_a_member_is_changed_added_and_taken_away_in_place() -> None:
    assert edited("pugh1987", title="Gezeiten – 潮") == FILE.replace(
        '"Tides \\u2013 Surges"', '"Gezeiten – 潮"'
    )
    assert edited("12", DOI="10.1/2") == FILE.replace(
        '"id": 12\n', '"id": 12,\n    "DOI": "10.1/2"\n'
    )
    assert edited("pugh1987", volume=None) == FILE.replace('"volume": 1.50, ', "")
    assert edited("12", id=None, type=None) == FILE.replace(
        '{\n    "type": "article",\n    "id": 12\n  }', "{\n    \n  }"
    )


def test_items_are_added_and_taken_away() -> None:
    source = parse_csl(FILE)
    added = add_item(source, {"id": "a", "title": "T"})
    assert added == FILE.replace("  }\n]", '  },\n  {\n    "id": "a",\n    "title": "T"\n  }\n]')
    assert without(entry_of(parse_csl(added), "a")) == FILE
    assert json.loads(without(entry_of(source, "pugh1987"))) == json.loads(FILE)[1:]
    assert json.loads(add_item(parse_csl("[]"), {"id": "a"})) == [{"id": "a"}]
    assert json.loads(add_item(parse_csl("[3]"), {"id": "a"})) == [3, {"id": "a"}]
    with pytest.raises(ReferenceInvalid):
        add_item(source, {"title": "T"})


def test_items_may_lie_in_an_object() -> None:
    text = '{"config": {"id": "x"}, "items": [{"id": "a"}], "rest": [1]}'
    assert [entry.key for entry in parse_csl(text).entries] == ["a"]
    assert set_members(parse_csl(text).entries[0], {"b": 1}) == text.replace(
        '{"id": "a"}', '{"id": "a","b": 1}'
    )


@pytest.mark.parametrize(
    "text",
    ["", "{", "[", '[{"id": "a"}', '[{"id": "a"} {"id": "b"}]', "{}", '"x"', '{"items": 3}',
     '{"items": [] ', "[" * 100_000, '[{"a": ' * 100_000],
)  # fmt: skip
def test_what_is_no_library_is_refused_in_words(text: str) -> None:
    with pytest.raises(LibraryUnreadable):
        parse_csl(text)


def test_in_any_file_an_edit_changes_its_item_alone() -> None:
    for seed in range(examples(50)):
        chance = random.Random(seed)
        items = [draw_item(chance, number) for number in range(chance.randrange(1, 8))]
        text = json.dumps(
            items, ensure_ascii=chance.random() < 0.5, indent=chance.choice([None, 2, 4, "\t"])
        )
        source = parse_csl(text)
        assert [entry.item for entry in source.entries] == items
        at = chance.randrange(len(items))
        changes: dict[str, Any] = {
            name: chance.choice(["neu", None, {"date-parts": [[2020]]}])
            for name in chance.sample(["title", "volume", "new", "issued"], 2)
        }
        entry = source.entries[at]
        changed = set_members(entry, changes)
        assert changed.startswith(text[: entry.start])
        assert changed.endswith(text[entry.end :])
        wanted = {**items[at], **changes}
        items[at] = {name: value for name, value in wanted.items() if value is not None}
        assert json.loads(changed) == items


def draw_item(chance: random.Random, number: int) -> dict[str, Any]:
    everything = {
        "title": 'A "quoted" {title}, é 王 \\ }',
        "volume": 12,
        "author": [{"family": "Müller", "given": "A."}],
        "issued": {"date-parts": [[1999, 1]]},
        "note": "",
    }
    names = chance.sample(list(everything), chance.randrange(len(everything) + 1))
    return {"id": f"item{number}", **{name: everything[name] for name in names}}


def test_reading_takes_time_in_proportion_to_the_text() -> None:
    item = '{"id": "a", "title": "words", "author": [{"family": "b"}]}'
    assert is_linear(lambda size: parse_csl(f"[{','.join([item] * size)}]"), 2000)
