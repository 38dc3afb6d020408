import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.chats.history.codec import (
    EncodedEntry,
    UnreadableEntry,
    blob_hashes,
    decode,
    decode_result,
    encode,
    encode_result,
)
from recto.chats.history.entries import (
    Accounting,
    AttachedText,
    EntryContent,
    Notice,
    Result,
    SideQuestion,
    ToolResults,
    Totals,
    User,
)
from recto.messages import Image, Text, ToolResult
from recto.storage import Storage
from tests.chats.random_entries import CONTENTS, JSON, RESULTS
from tests.storage.conftest import StepClock, add_chat


def through_json(body: Any) -> Any:
    return json.loads(json.dumps(body, allow_nan=False))


@settings(deadline=None)
@given(CONTENTS)
def test_what_was_encoded_comes_back_equal(content: EntryContent) -> None:
    encoded = encode(content)
    body = through_json(encoded.body)

    assert set(blob_hashes(body)) == set(encoded.blobs)
    assert decode(encoded.kind, body, encoded.blobs) == content


@settings(deadline=None)
@given(RESULTS)
def test_a_tool_answer_by_itself_comes_back_equal(result: Result) -> None:
    encoded = encode_result(result)
    body = through_json(encoded.body)

    assert set(blob_hashes(body)) == set(encoded.blobs)
    assert decode_result(body, encoded.blobs) == result


def test_an_entry_is_stored_under_its_kind_with_all_its_fields() -> None:
    notice = Notice("steps", "Stopped after 20 steps.", "t1", ("e1",))

    assert encode(notice) == EncodedEntry(
        "notice",
        {"reason": "steps", "words": "Stopped after 20 steps.", "turn": "t1", "entries": ["e1"]},
        {},
    )
    assert encode(SideQuestion("A title, please.", "title_request")) == EncodedEntry(
        "title_request", {"text": "A title, please."}, {}
    )


def test_pictures_are_kept_apart_by_their_hash() -> None:
    result = ToolResult("c1", "plot", (Text("Here."), Image("image/png", b"png")))
    encoded = encode(ToolResults((Result(result, "1 picture", "done"),), "t1", 1))
    digest = hashlib.sha256(b"png").hexdigest()

    assert encoded.blobs == {digest: b"png"}
    assert encoded.body["blobs"] == [digest]
    assert encoded.body["results"][0]["result"]["content"][1]["data"] == {"blob": digest}


def test_a_short_attached_text_stays_in_the_entry_and_a_long_one_is_kept_apart() -> None:
    short, long = AttachedText("a.md", "a" * 2048, "h"), AttachedText("b.md", "é" * 1025, "h")
    encoded = encode(User("Look.", "t1", (short, long)))

    assert encoded.body["attached"][0]["text"] == "a" * 2048
    assert list(encoded.blobs.values()) == [("é" * 1025).encode()]


def test_a_picture_by_address_needs_no_blob() -> None:
    encoded = encode(User("See.", "t1", images=(Image("image/png", url="https://x.test/a.png"),)))

    assert encoded.blobs == {}
    assert blob_hashes(encoded.body) == ()


def test_a_field_that_was_not_there_yet_has_its_default() -> None:
    user = User("Hi.", "t1")
    body = {name: value for name, value in encode(user).body.items() if name != "pinned"}

    assert decode("user", body, {}) == user


@pytest.mark.parametrize(
    ("kind", "change", "reason"),
    [
        ("nonsense", {}, "no entry of the kind 'nonsense'"),
        ("user", {"text": 1}, "A str was expected, not a int"),
        ("user", {"text": None}, "A str was expected, not a NoneType"),
        ("user", {"extra": 1}, "User has other fields"),
        ("user", {"pinned": 1}, "A bool was expected"),
        ("user", {"attached": {}}, "A list was expected"),
        ("user", {"images": [{"media_type": "image/png", "data": {"blob": "0"}}]}, "is missing"),
        ("assistant", {}, "Assistant has other fields"),
    ],
)
def test_what_is_not_ours_is_refused_with_a_reason(
    kind: str, change: dict[str, Any], reason: str
) -> None:
    body = {**encode(User("Hi.", "t1")).body, **change}

    with pytest.raises(UnreadableEntry, match=reason):
        decode(kind, body, {})


def test_a_number_is_no_truth_value_and_a_choice_is_one_of_its_words() -> None:
    body = encode(Accounting("edit", 3, 2, Totals())).body

    wrongs: list[dict[str, object]] = [
        {"discarded": True},
        {"reason": "whim"},
        {"reason": 1},
        {"totals": 1},
    ]
    for wrong in wrongs:
        with pytest.raises(UnreadableEntry):
            decode("accounting", {**body, **wrong}, {})


@settings(deadline=None)
@given(CONTENTS, st.data())
def test_a_damaged_body_is_refused_or_read_but_never_breaks(
    content: EntryContent, data: Any
) -> None:
    encoded = encode(content)
    body = through_json(encoded.body)
    name = data.draw(st.sampled_from(sorted(body)))
    body[name] = data.draw(JSON)
    kind = data.draw(st.sampled_from([encoded.kind, "user", "assistant", "tool_results"]))

    try:
        blob_hashes(body)
        decode(kind, body, encoded.blobs)
    except UnreadableEntry:
        return


@pytest.mark.anyio
async def test_odd_text_survives_the_store(tmp_path: Path) -> None:
    storage = await Storage.open(tmp_path / "recto.db", clock=StepClock())
    odd = "NUL \0, half \ud83d, halves \ud83d\ude00, whole 😀, joined \ud83d\u2060\ude00"
    content = User(odd, odd, (AttachedText(odd, odd * 200, odd),))
    encoded = encode(content)
    async with storage.write() as write:
        await add_chat(storage, write)
        for data in encoded.blobs.values():
            await storage.blobs.put(write, data, "c1")
        await storage.chats.append(write, "c1", id="e1", kind=encoded.kind, body=encoded.body)

    (record,) = await storage.chats.entries("c1")
    blobs = {digest: await storage.blobs.get(digest) for digest in blob_hashes(record.body)}
    await storage.close()
    assert decode(record.kind, record.body, blobs) == content
