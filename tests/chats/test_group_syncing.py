"""Which of a client's folders can be taken: decided for all of them together, in no order."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from recto.chats.library.folder_tree import DEEPEST, find_faults
from recto.chats.library.group_sync import misplaced
from recto.storage import ChatGroup

COUNT = 8
places = st.dictionaries(st.integers(0, COUNT - 1), st.none() | st.integers(0, COUNT))
"""The folders of a client: which lies in which. The last number is nobody's."""


def group(number: int, parent: int | None) -> ChatGroup:
    lies_in = None if parent is None else str(parent)
    return ChatGroup(str(number), "p", lies_in, "", "", 0, (), (), 0, 0, 1, None)


def groups(drawn: dict[int, int | None]) -> dict[str, ChatGroup]:
    return {str(number): group(number, parent) for number, parent in drawn.items()}


def parents(some: dict[str, ChatGroup]) -> dict[str, str | None]:
    return {item.id: item.parent_id for item in some.values()}


@given(first=places, then=places, chance=st.randoms())
def test_what_is_taken_is_a_sound_tree_and_the_same_in_any_order(
    first: dict[int, int | None], then: dict[int, int | None], chance: Random
) -> None:
    known = taken({}, groups(first))
    assert not find_faults(parents(known))

    new = groups(then)
    refused = misplaced(known, new)
    after = taken(known, new)
    assert not find_faults(parents(after))

    shuffled = list(new.items())
    chance.shuffle(shuffled)
    assert misplaced(known, dict(shuffled)) == refused
    left = {item: new[item] for item in refused}
    assert misplaced(after, left).keys() == refused.keys(), "sent again, nothing else comes out"


def taken(known: dict[str, ChatGroup], new: dict[str, ChatGroup]) -> dict[str, ChatGroup]:
    refused = misplaced(known, new)
    return known | {key: found for key, found in new.items() if key not in refused}


def test_only_the_row_that_moved_something_there_is_refused() -> None:
    known = groups({0: None} | {number: number - 1 for number in range(1, DEEPEST)})
    top, renamed = group(COUNT, None), known[str(DEEPEST - 1)]
    moved = group(0, COUNT)
    refused = misplaced(known, {top.id: top, moved.id: moved, renamed.id: renamed})
    assert refused == {"0": f"Folders lie at most {DEEPEST} deep."}
