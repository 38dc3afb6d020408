"""Random histories as they really come about: several models, aborts, edits, cuts, bad ids."""

from hypothesis import strategies as st

from recto.messages import (
    Image,
    Json,
    Message,
    Native,
    Origin,
    Part,
    ProviderData,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

ORIGINS = [
    Origin("anthropic-messages", "a", "claude"),
    Origin("anthropic-messages", "b", "claude"),
    Origin("openai-responses", "a", "gpt"),
    Origin("openai-chat", "a", "llama"),
    Origin("gemini", "a", "gemini"),
]
TEXTS = st.one_of(
    st.sampled_from(["", " ", "\n", "hello", "Grüße 😀", "\ud83d", "a\u2028b", "\x00"]),
    st.text(max_size=20),
)
IDS = st.sampled_from(
    ["", "a", "toolu_1", "functions.Bash:0", "x" * 90, "call 1", "ü", "a", "gem_0_1", "\ud800"]
)
NAMES = st.sampled_from(["read_file", "run", "a.b", "x" * 70])
ARGUMENTS: st.SearchStrategy[Json] = st.dictionaries(
    st.sampled_from(["path", "n"]), st.one_of(TEXTS, st.integers(), st.none()), max_size=2
)


def data() -> st.SearchStrategy[ProviderData]:
    payload = st.fixed_dictionaries({"signature": st.sampled_from(["s1", "s2"])})
    return st.builds(ProviderData, st.sampled_from(ORIGINS), payload)


def maybe_data() -> st.SearchStrategy[ProviderData | None]:
    return st.none() | data()


def paused() -> st.SearchStrategy[ProviderData]:
    """What an answer ends in that goes on by itself."""
    block: Json = {"type": "server_tool_use", "id": "s1", "name": "search", "input": {}}
    payloads: list[Json] = [{"continuation": "T"}, {"block": block}]
    return st.builds(ProviderData, st.sampled_from(ORIGINS), st.sampled_from(payloads))


CONTENT = st.lists(st.builds(Text, TEXTS) | st.just(Image("image/png", b"png")), max_size=2).map(
    tuple
)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, TEXTS, maybe_data()),
    st.builds(Thinking, TEXTS, maybe_data()),
    st.builds(ToolCall, IDS, NAMES, ARGUMENTS, maybe_data()),
    st.builds(ToolResult, IDS, NAMES, CONTENT, st.booleans()),
    st.just(Image("image/png", b"png")),
    st.builds(Native, data()),
    st.builds(Native, paused()),
)
MESSAGES = st.builds(
    Message, st.sampled_from(["user", "assistant"]), st.lists(PARTS, max_size=4).map(tuple)
)
HISTORIES = st.lists(MESSAGES, max_size=8)
