"""Bytes stored as what is new in them come back as they were."""

from hypothesis import given
from hypothesis import strategies as st

from recto.storage.packing import MOST_LINKS, PackBase, PackedBytes, pack, unpack

pieces = st.binary(max_size=60)


@given(st.lists(st.tuples(pieces, pieces, pieces), min_size=1, max_size=8))
def test_what_was_packed_beside_earlier_bytes_comes_back(
    parts: list[tuple[bytes, bytes, bytes]],
) -> None:
    stored: dict[str, PackedBytes] = {}
    base: PackBase | None = None
    whole = b"".join(parts[0]) * 20
    for start, middle, end in parts:
        at = len(whole) // 2
        whole = start + whole[:at] + middle + whole[at:] + end
        packed = pack(whole, base)
        stored.setdefault(packed.digest, packed)
        base = stored[packed.digest].as_base(whole)
        assert unpack(chain_of(stored, packed.digest)) == whole


def test_a_request_that_grows_is_stored_as_what_is_new_in_it() -> None:
    text = b"".join(b"%d words of a long talk. " % number for number in range(2000))
    first = pack(text)
    more = text[:-3] + b"and a little more" + text[-3:]
    second = pack(more, first.as_base(text))

    assert (second.base, second.links) == (first.digest, 1)
    assert len(second.data) == len(b"and a little more")
    assert unpack([first, second]) == more


def test_a_chain_does_not_become_long_or_wide() -> None:
    text = b"words " * 1000
    at_the_end = PackBase("0" * 64, text, MOST_LINKS, len(text))
    too_wide = PackBase("0" * 64, text, 1, len(text) * 5)

    assert pack(text + b"more", at_the_end).base is None
    assert pack(text + b"more", too_wide).base is None


def chain_of(stored: dict[str, PackedBytes], digest: str) -> list[PackedBytes]:
    packed = stored[digest]
    return [*([] if packed.base is None else chain_of(stored, packed.base)), packed]
