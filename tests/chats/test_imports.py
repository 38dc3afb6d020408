import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.chats.history.codec import decode, encode
from recto.chats.history.entries import (
    Accounting,
    Assistant,
    AttachedText,
    ChatEntry,
    EntryContent,
    Notice,
    Result,
    Summary,
    ToolResults,
    Totals,
    User,
)
from recto.chats.transfer.exports import export
from recto.chats.transfer.imports import Imported, ImportedChat, read_export
from recto.messages import Image, Text, Thinking, ToolCall, ToolResult
from tests.chats.foreign import (
    CHATGPT,
    CLAUDE,
    LIBRECHAT,
    LIBRECHAT_NESTED,
    OPEN_WEBUI,
    packed,
    zipped,
)
from tests.chats.random_entries import RANDOM_ENTRIES, numbered
from tests.examples import examples
from tests.growth import is_linear

FILES = [CHATGPT, CLAUDE, OPEN_WEBUI, LIBRECHAT, LIBRECHAT_NESTED]
PNG = Image("image/png", b"\x89PNG\r\n\x1a\n")


def only(data: bytes) -> ImportedChat:
    imported = read_export(data)
    assert imported.skipped == ()
    (chat,) = imported.chats
    return chat


def told(entries: Sequence[ChatEntry]) -> list[object]:
    """The contents without what every import has in common."""
    return [shortened(entry.content) for entry in entries]


def shortened(content: EntryContent) -> Any:
    match content:
        case User():
            return replace(content, turn="")
        case Assistant():
            return (content.model, content.parts)
        case ToolResults():
            return content.results
        case Notice():
            return content.words
        case _:
            return content


def result(call_id: str, name: str, text: str) -> Result:
    return Result(ToolResult(call_id, name, (Text(text),)), "", "done")


def test_a_chatgpt_chat_follows_its_current_path() -> None:
    chat = only(packed(CHATGPT))

    assert (chat.title, chat.source, chat.created_ms, chat.last_active_ms) == (
        "Plot of the data",
        "ChatGPT",
        1_730_000_000_500,
        1_730_000_014_000,
    )
    assert told(chat.entries) == [
        User("Plot this, please.", ""),
        (
            "o3",
            (Thinking("A line would do."), ToolCall("imported_1", "python", {"input": "plot(1)"})),
        ),
        (result("imported_1", "python", "<Figure>"),),
        ("o3", (Text("Here it **is**."),)),
        "Imported from ChatGPT. Left out: 1 message of another branch, 1 picture.",
    ]


def test_a_claude_chat_keeps_attachments_thoughts_and_tools() -> None:
    chat = only(packed(CLAUDE))

    assert (chat.title, chat.source, chat.created_ms) == (
        "Reading a paper",
        "Claude",
        1_740_823_200_000,
    )
    user = chat.entries[0].content
    assert isinstance(user, User)
    (attached,) = user.attached
    assert told(chat.entries) == [
        User("What does it say?", "", (AttachedText("paper.txt", "Sleep helps.", attached.hash),)),
        (
            "",
            (
                Thinking("Short paper."),
                Text("Let me look."),
                ToolCall("imported_1", "web_search", {"q": "s"}),
            ),
        ),
        (result("imported_1", "web_search", "3 studies"),),
        ("", (Text("It says that sleep helps."),)),
        "Imported from Claude. Left out: 1 file.",
    ]


def test_an_open_webui_chat_keeps_pictures_and_thoughts() -> None:
    chat = only(packed(OPEN_WEBUI))

    assert (chat.title, chat.source, chat.created_ms) == (
        "Local model",
        "Open WebUI",
        1_740_000_000_000,
    )
    assert told(chat.entries) == [
        User("What is this?", "", images=(PNG,)),
        ("qwen3", (Thinking("One pixel <1x1>.\nWhite."), Text("A pixel."))),
        "Imported from Open WebUI. Left out: 1 message of another branch.",
    ]


def test_an_older_open_webui_chat_is_a_plain_list() -> None:
    (record,) = OPEN_WEBUI
    messages = list(record["chat"]["history"]["messages"].values())[:2]
    older = {**record, "chat": {"models": ["llama3:8b"], "messages": messages}}

    assert told(only(packed([older])).entries) == [
        User("What is this?", "", images=(PNG,)),
        ("llama3:8b", (Text("Another try."),)),
        "Imported from Open WebUI.",
    ]


@pytest.mark.parametrize("document", [LIBRECHAT, LIBRECHAT_NESTED], ids=["flat", "nested"])
def test_a_librechat_conversation_follows_its_latest_path(document: object) -> None:
    chat = only(packed(document))

    assert (chat.title, chat.source, chat.created_ms) == (
        "Weather",
        "LibreChat",
        1_746_100_801_000,
    )
    assert told(chat.entries) == [
        User("Will it rain?", ""),
        (
            "claude-sonnet",
            (Thinking("Ask the tool."), ToolCall("imported_1", "weather", {"city": "Bern"})),
        ),
        (result("imported_1", "weather", "rain"),),
        ("claude-sonnet", (Text("Yes, it will."),)),
        "Imported from LibreChat. Left out: 1 message of another branch.",
    ]


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    messages = [{"sender": "assistant", "content": [{"type": "tool_use", "name": "search"}]}]
    chat = only(packed({"uuid": "c", "name": "", "chat_messages": messages}))

    answer = ToolResult(
        "imported_1", "search", (Text("The export holds no result of this call."),), is_error=True
    )
    assert told(chat.entries)[1] == (Result(answer, "", "unknown"),)


def test_imported_answers_cost_nothing_here() -> None:
    for document in FILES:
        contents = [entry.content for entry in only(packed(document)).entries]
        answers = [content for content in contents if isinstance(content, Assistant)]
        assert {(answer.usage, answer.cost_micros) for answer in answers} == {(None, 0)}


def test_the_same_export_gives_the_same_ids() -> None:
    for document in FILES:
        first, second = read_export(packed(document)), read_export(packed(document))
        assert first == second
        ids = [entry.id for chat in first.chats for entry in chat.entries]
        assert len(set(ids)) == len(ids)
    chats = [only(packed(document)).id for document in FILES]
    assert len(set(chats)) == 4  # LibreChat's two shapes hold the same conversation.


def test_good_chats_come_in_and_bad_ones_are_named() -> None:
    empty: dict[str, object] = {"title": "Nothing said", "mapping": {}}
    document = [empty, *CHATGPT, 7, {"title": "What is this?"}, *CHATGPT]

    imported = read_export(packed(document))
    assert [chat.title for chat in imported.chats] == ["Plot of the data"]
    assert imported.skipped == (
        "Chat 1 (“Nothing said”): it has no messages.",
        "Chat 3: it is no chat.",
        "Chat 4 (“What is this?”): it is not a chat in a format that Recto knows.",
        "Chat 5 (“Plot of the data”): it is in the file twice.",
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is not JSON: line 1 can't be read."),
        (b"{", "The file is not JSON: line 1 can't be read."),
        (b"\xff\xfe\x00", "The file is neither JSON nor a zip archive."),
        (b"[]", "The file holds no chats."),
        (
            b"[" * 100_000,
            "The file is nested too deeply. LibreChat: export it without “recursive”.",
        ),
        (b"1" * 5000, "The file holds a number that is too long."),
        (b"PK nonsense", "The zip archive is damaged. Export or download it again."),
        (zipped(), "The zip archive holds no conversations.json."),
    ],
)
def test_a_file_that_is_no_export_is_refused_in_words(data: bytes, reason: str) -> None:
    assert read_export(data) == Imported((), (reason,))


def test_a_zip_archive_is_read_for_its_conversations() -> None:
    inside = zipped(conversations=packed(CHATGPT), user=b"[1]")
    assert only(inside).title == "Plot of the data"

    pieces = {
        "export__conversations-000": packed(CHATGPT),
        "export__conversations-001": packed(CLAUDE),
    }
    chats = read_export(zipped(**pieces)).chats
    assert [chat.source for chat in chats] == ["ChatGPT", "Claude"]


def test_a_damaged_file_in_an_archive_does_not_keep_the_others_out() -> None:
    imported = read_export(zipped(**{"conversations-0": b"{", "conversations-1": packed(CLAUDE)}))

    assert [chat.source for chat in imported.chats] == ["Claude"]
    assert imported.skipped == ("conversations-0.json is not JSON: line 1 can't be read.",)


def test_an_archive_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recto.chats.transfer.imports.unpacking.MAX_BYTES", 1 << 20)
    bomb = zipped(conversations=b" " * (50 << 20))

    assert len(bomb) < 100_000
    assert read_export(bomb) == Imported((), ("The zip archive unpacks to more than 1 MB.",))


def test_a_tree_that_bites_its_own_tail_ends() -> None:
    (record,) = CHATGPT
    mapping = {**record["mapping"], "u1": {**record["mapping"]["u1"], "parent": "a1"}}

    chat = only(packed([{**record, "mapping": mapping}]))
    assert chat.entries[0].content == replace(chat.entries[0].content, text="Plot this, please.")


def test_numbers_that_are_none_and_deep_inputs_can_still_be_stored() -> None:
    deep = "[" * 300 + "]" * 300
    calls = '{"type": "tool_use", "name": "t", "input": {"a": NaN, "b": 1e999, "c": %s}}'
    blocks = f"[{calls % 1}, {calls % deep}]"
    document = f'{{"uuid": "c", "chat_messages": [{{"sender": "assistant", "content": {blocks}}}]}}'

    answer = only(document.encode()).entries[0].content
    assert isinstance(answer, Assistant)
    assert [part.arguments for part in answer.parts if isinstance(part, ToolCall)] == [
        {"a": None, "b": None, "c": 1},
        {},
    ]


@settings(deadline=None)
@given(RANDOM_ENTRIES)
def test_our_own_export_comes_back_under_new_names(entries: tuple[ChatEntry, ...]) -> None:
    imported = read_export(export("A title", entries, Totals(), "json").data)
    if not entries:
        assert imported.skipped == ("Chat 1 (“A title”): it has no messages.",)
        return
    (chat,) = imported.chats

    assert chat.title == "A title"
    assert [encode(entry.content).kind for entry in chat.entries] == [
        encode(entry.content).kind for entry in entries
    ]
    assert [entry.created_ms for entry in chat.entries] == [item.created_ms for item in entries]
    assert not {entry.id for entry in chat.entries} & {entry.id for entry in entries}


def test_what_entries_say_of_each_other_still_holds_under_new_names() -> None:
    history = numbered(
        [
            User("Keep me.", "t1", pinned=True),
            Summary("S", "m", None, 0, kept=("e1",)),
            Notice("left_out", "Left out.", "t1", ("e1",)),
            Accounting("checkpoint_removed", 2, 1, Totals(), "e2"),
            User("Gone.", "t2"),
            Accounting("edit", 5, 1, Totals()),
        ]
    )
    chat = only(export("A", history, Totals(), "json").data)
    first, second, third, fourth, _, sixth = chat.entries

    assert (second.content, fourth.content, sixth.content) == (
        Summary("S", "m", None, 0, kept=(first.id,)),
        Accounting("checkpoint_removed", 2, 1, Totals(), second.id),
        Accounting("edit", 5, 1, Totals()),
    )
    assert isinstance(third.content, Notice)
    assert isinstance(first.content, User)
    assert third.content.entries == (first.id,)
    assert third.content.turn == first.content.turn != "t1"


def test_entries_that_were_cut_out_of_our_export_are_numbered_anew() -> None:
    document = json.loads(export("A", numbered([User("a", "t")] * 3), Totals(), "json").data)
    del document["entries"][0]

    assert [entry.seq for entry in only(packed(document)).entries] == [1, 2]


OURS = export(
    "Ours", numbered([User("Hi", "t1", (AttachedText("a", "b" * 3000, "h"),))]), Totals(), "json"
).data
SAMPLES = [*(packed(document) for document in FILES), OURS, zipped(conversations=packed(CLAUDE))]
ODD: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("\ud83d\0"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=3,
)


@settings(deadline=None, max_examples=examples(40))
@given(st.sampled_from(SAMPLES), st.data())
def test_a_file_with_damaged_bytes_is_read_as_far_as_it_goes(sample: bytes, data: Any) -> None:
    at = data.draw(st.integers(0, len(sample)))
    cut = data.draw(st.sampled_from([at, at + 1, len(sample)]))

    assert storable(read_export(sample[:at] + data.draw(st.binary(max_size=3)) + sample[cut:]))


@settings(deadline=None, max_examples=examples(40))
@given(st.sampled_from([*FILES, json.loads(OURS)]), st.data())
def test_a_record_with_odd_values_is_read_as_far_as_it_goes(document: Any, data: Any) -> None:
    changed = json.loads(json.dumps(document))
    place, key = data.draw(st.sampled_from(list(places(changed))))
    place[key] = data.draw(ODD)

    assert storable(read_export(packed(changed)))


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document where a value stands."""
    if isinstance(value, dict):
        keys: list[Any] = list(cast(dict[str, Any], value))
    else:
        keys = list(range(len(cast(list[Any], value)))) if isinstance(value, list) else []
    for key in keys:
        yield value, key
        yield from places(value[key])


def storable(imported: Imported) -> bool:
    """Whether everything that came in can be kept, and comes back as it was."""
    for chat in imported.chats:
        assert chat.title.encode()
        for entry in chat.entries:
            encoded = encode(entry.content)
            body = json.loads(json.dumps(encoded.body, allow_nan=False))
            assert decode(encoded.kind, body, encoded.blobs) == entry.content
    return bool(imported.chats or imported.skipped)


def test_many_chats_cost_no_more_each_than_a_few() -> None:
    (record,) = CLAUDE
    bad = {"name": "Nothing", "chat_messages": [None]}

    def read(count: int) -> None:
        good = [{**record, "uuid": f"c{number}"} for number in range(count)]
        imported = read_export(packed([*good, bad]))
        assert (len(imported.chats), len(imported.skipped)) == (count, 1)

    assert is_linear(read, 100)
