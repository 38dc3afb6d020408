"""What a model writes into a cell is told while it comes, from JSON that is cut anywhere."""

import json

from hypothesis import given
from hypothesis import strategies as st

from recto.notebooks import CellDraft
from recto.notebooks.live.cell_drafts import CellDrafts, members, whole_members

ODD = st.text(alphabet='ab"\\\n:,{}[]u0é😀', max_size=12)


@given(values=st.dictionaries(ODD, ODD, max_size=4), at=st.integers(0, 80), ascii=st.booleans())
def test_any_beginning_of_arguments_tells_what_is_there_of_each_text(
    values: dict[str, str], at: int, ascii: bool
) -> None:
    words = json.dumps(values, ensure_ascii=ascii)
    assert members(words) == whole_members(words) == values
    begun = words[:at]
    for name, value in members(begun).items():
        # Half of a letter beyond the first 65,536 may have come.
        told = value.rstrip("\ud83d")
        assert values[name].startswith(told)
    for name, value in whole_members(begun).items():
        assert values[name] == value


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
