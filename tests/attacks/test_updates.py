"""Edits made to break the CRDT library: refused before it sees them, and the server lives."""

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycrdt import Doc, Text

from recto.documents import BadUpdate, Splice
from recto.documents.shared_text import NAME, SharedText, first_update
from recto.documents.update_check import check_state, check_update
from tests.served import Served
from tests.server.test_documents import EDIT, VERSION, page

DEEP = 200_000


def number(value: int) -> bytes:
    """A number as Yjs writes it."""
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    return bytes([*written, value])


def item(kind: int, content: bytes, *, flags: int = 0, parent: bytes = b"\x01\x04text") -> bytes:
    """An update with one thing in it."""
    return b"\x01\x01\x05\x00" + bytes([kind | flags]) + parent + content + b"\x00"


NESTED = item(8, b"\x01" + b"\x75\x01" * DEEP + b"\x7e")
"""An array in an array, and so on: reading it ends a process that does not look first."""
HOSTILE = {
    "nested arrays": NESTED,
    "a value": item(8, b"\x01\x7e"),
    "JSON": item(2, b"\x01\x02[]"),
    "bytes": item(3, b"\x01x"),
    "an embed": item(5, b"\x02{}"),
    "a format": item(6, b"\x01b\x02{}"),
    "a type": item(7, b"\x00"),
    "a document": item(9, b"\x01x\x7e"),
    "a key": item(4, b"\x01x", flags=0x20, parent=b"\x01\x04text\x01k"),
    "many clients": number(2**32 - 1) + b"\x00\x00",
    "many structs": b"\x01" + number(2**32 - 1) + b"\x05\x00\x00\x01",
    "many deletions": b"\x00\x01\x05" + number(2**32 - 1) + b"\x00",
    "many deleters": b"\x00" + number(2**32 - 1) + b"\x00",
    "past the last number": b"\x01\x02\x05\x00\x00" + number(2**32 - 1) + b"\x00\x01\x00",
    "a number without end": b"\xff" * 40,
    "a large client": b"\x01\x01" + number(2**53) + b"\x00\x00\x01\x00",
    "a text cut short": item(4, b"\x0512"),
    "a text of half a character": item(4, b"\x01\xe6"),
    "more than an update": b"\x00\x00\x00",
    "nothing": b"",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_text_is_refused(name: str) -> None:
    with pytest.raises(BadUpdate):
        check_update(HOSTILE[name])


def test_the_library_does_not_look_itself() -> None:
    """Why it is looked at before: a library that reads it safely would make this needless."""
    code = "import sys; from pycrdt import Doc; Doc().apply_update(sys.stdin.buffer.read())"
    ended = subprocess.run([sys.executable, "-c", code], input=NESTED, check=False)
    assert ended.returncode < 0


@pytest.mark.parametrize(
    "state", [b"", number(2**32 - 1), b"\x01\x05", b"\x01\x05\x01\x00", b"\x01" + b"\xff" * 12]
)
def test_a_state_that_is_none_is_refused(state: bytes) -> None:
    with pytest.raises(BadUpdate):
        check_state(state)


@given(st.lists(st.tuples(st.integers(0, 2), st.text(max_size=6), st.integers(0, 40)), max_size=20))
def test_every_edit_of_texts_passes(steps: list[tuple[int, str, int]]) -> None:
    peers = [SharedText(first_update("é one 😀 two", "0")) for _ in range(2)]
    for which, new, at in steps:
        if which == 2:
            missing = [peers[n].updates_since(peers[1 - n].state()) for n in range(2)]
            for peer, update in zip(peers, reversed(missing), strict=True):
                check_update(update)
                peer.apply(update)
            continue
        text = peers[which].text
        start = min(at, len(text))
        made = peers[which].splice([Splice(start, min(start + 3, len(text)), new)])
        if made:
            check_update(made)
        check_state(peers[which].state())
    check_update(peers[0].updates_since())


def test_damaged_edits_are_refused_or_change_the_text_and_nothing_worse() -> None:
    """What passes is handed to the library, in this process: it must survive all of it."""
    source: Doc[Text] = Doc()
    text = source.get(NAME, type=Text)
    chance = random.Random(7)
    for step in range(60):
        text.insert(chance.randint(0, len(str(text))), f"word{step} ")
        if step % 3 == 0:
            del text[0 : min(4, len(str(text)))]
    whole = source.get_update()
    passed = 0
    for _ in range(4000):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        peer = SharedText()
        try:
            check_update(bytes(damaged))
            peer.apply(bytes(damaged))
        except BadUpdate:
            continue
        passed += 1
        assert isinstance(peer.text, str)
    assert passed


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [EDIT, VERSION])
async def test_a_page_that_sends_it_loses_its_document_and_nobody_else_does(
    recto: Served, kind: int
) -> None:
    (recto.folder / "a.md").write_text("one\n", encoding="utf-8")
    async with page(recto) as attacker, page(recto) as other:
        await attacker.open(1, "a.md")
        await other.open(1, "a.md")
        await attacker.send(1, kind, NESTED)
        await attacker.until_said(type="refused", channel=1)
        await other.type(1, Splice(3, 3, " two"))
        await other.until_said(type="ack", channel=1, edits=1)
