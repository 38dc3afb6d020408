"""Any history can be sent: the strict fake of the API refuses nothing we lower."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from recto.llm.protocols.gemini import PROTOCOL
from recto.messages import (
    Document,
    Image,
    Json,
    Message,
    Native,
    Origin,
    Part,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from tests.fakes.providers.gemini_shapes import REQUEST
from tests.fakes.providers.gemini_turns import check_contents
from tests.fakes.providers.models import GEMINI
from tests.fakes.providers.shapes import first_problem
from tests.llm.gemini.requests import MODEL, ORIGIN, TRAITS

WORDS = st.text(max_size=3) | st.sampled_from(["", " ", "\n", "\ud83d", "Hm."])
IDS = st.sampled_from(["", "c1", "c2"])
NAMES = st.sampled_from(["", "look", "notes/read", "x" * 200])
PAYLOADS: list[Json] = [
    {"signature": "S"},
    {"signature": 3},
    {"part": {"executableCode": {}}},
    {"part": {"hologram": 1}},
    {"part": {}},
    {"part": 3},
    {"continuation": "T"},
    {},
]
DATA = st.builds(
    ProviderData,
    st.sampled_from([ORIGIN, Origin("anthropic-messages", "", "claude")]),
    st.sampled_from(PAYLOADS),
)
IMAGES = st.builds(
    Image,
    st.sampled_from(["image/png", "image/gif"]),
    st.just(b"data"),
    st.sampled_from([None, "https://example.com/a.png", "gs://a/b.png"]),
)
DOCUMENTS = st.builds(
    Document,
    st.sampled_from(["application/pdf", "application/zip", "text/plain"]),
    st.just(b"data"),
    WORDS,
)
CONTENT = st.lists(st.builds(Text, WORDS) | IMAGES | DOCUMENTS, max_size=2).map(tuple)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, WORDS, st.none() | DATA),
    st.builds(Thinking, WORDS, st.none() | DATA),
    st.builds(Native, DATA),
    st.builds(ToolCall, IDS, NAMES, st.just({"a": "\ud83d"}), st.none() | DATA),
    st.builds(ToolResult, IDS, NAMES, CONTENT, st.booleans()),
    IMAGES,
    DOCUMENTS,
)
MESSAGES = st.builds(
    Message, st.sampled_from(["user", "assistant"]), st.lists(PARTS, max_size=4).map(tuple)
)


@settings(deadline=None)
@given(st.lists(MESSAGES, max_size=5).map(tuple))
def test_Q28_any_history_is_lowered_to_what_the_API_accepts(messages: tuple[Message, ...]) -> None:
    request = Request(MODEL, messages, 100)
    body = json.loads(PROTOCOL.lower(request, TRAITS, ORIGIN).body)
    assert first_problem(REQUEST, body) is None
    assert check_contents(body["contents"], GEMINI[MODEL]) == []
