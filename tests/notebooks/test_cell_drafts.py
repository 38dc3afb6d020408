"""What a model writes into a cell is told while it comes, from JSON that is cut anywhere."""

import json

from hypothesis import given
from hypothesis import strategies as st

from recto.notebooks import CellDraft
from recto.notebooks.live.cell_drafts import CellDrafts, ComingTexts

ODD = st.text(alphabet='ab"\\\n:,{}[]u0é😀', max_size=12)


VALUES = st.dictionaries(ODD, st.one_of(ODD, st.none(), st.integers(), st.lists(ODD)), max_size=4)


@given(values=VALUES, at=st.integers(0, 80), size=st.integers(1, 9), ascii=st.booleans())
def test_any_beginning_of_arguments_tells_what_is_there_of_each_text(
    values: dict[str, object], at: int, size: int, ascii: bool
) -> None:
    words = json.dumps(values, ensure_ascii=ascii)
    told = ComingTexts()
    for start in range(0, len(words), size):
        told.add(words[start : start + size])
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    assert {name: told.get_whole(name) for name in texts} == texts
    begun = ComingTexts()
    begun.add(words[:at])
    for name, value in texts.items():
        # Half of a letter beyond the first 65,536 may have come.
        assert value.startswith((begun.get(name) or "").rstrip("\ud83d"))
        assert begun.get_whole(name) in (None, value)


@given(st.text(alphabet='ab"\\\n:,{}[]u0 ', max_size=60))
def test_what_is_no_json_tells_something_or_nothing(words: str) -> None:
    draft = CellDraft("c", "edit_cell")
    draft.add(words)
    assert draft.path is None or isinstance(draft.path, str)
    assert draft.view is None or isinstance(draft.view["source"], str)


def test_a_draft_is_told_until_its_call_has_run() -> None:
    told: list[int] = []
    drafts = CellDrafts(lambda: told.append(1))
    draft = CellDraft("call", "edit_cell")
    words = json.dumps({"path": "n.ipynb", "cell": "a", "version": "v", "source": "x = 1\ny"})
    draft.add(words[:20])
    assert (draft.path, draft.view) == ("n.ipynb", None)
    draft.add(words[20:-4])
    drafts.show(draft)
    assert drafts.views == [{"call": "call", "cell": "a", "after": None, "source": "x = 1"}]
    draft.add(words[-4:])
    assert drafts.views[0]["source"] == "x = 1\ny"
    drafts.end(draft)
    drafts.end(draft)
    assert (drafts.views, len(told)) == ([], 2)


def test_a_new_cell_is_told_with_the_cell_that_it_follows() -> None:
    draft = CellDraft("call", "add_cell")
    draft.add('{"path": "n.ipynb", "after": "a", "source": "print(')
    assert draft.view == {"call": "call", "cell": None, "after": "a", "source": "print("}


def test_what_is_no_text_before_a_source_does_not_hide_it() -> None:
    draft = CellDraft("call", "add_cell")
    draft.add('{"path": "n.ipynb", "after": null, "source": "print(')
    assert draft.view == {"call": "call", "cell": None, "after": None, "source": "print("}
