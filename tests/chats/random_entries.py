"""Random entries and histories: every kind, and texts that no encoding has."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from recto.chats.history.entries import (
    Accounting,
    AnswerSource,
    Assistant,
    AttachedText,
    ChatEntry,
    EntryConfidence,
    EntryContent,
    Error,
    MissingFromSummary,
    Notice,
    Result,
    SideQuestion,
    Summary,
    Switched,
    System,
    Title,
    ToolResults,
    Totals,
    User,
)
from recto.messages import (
    Document,
    Failure,
    Image,
    Native,
    Origin,
    ProviderData,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)

TEXTS = st.one_of(
    st.sampled_from(["", "hello", "\0", "\ud83d", "\ud83d\ude00", "😀", "\ud83d\u2060\ude00"]),
    st.text(st.characters(exclude_categories=()), max_size=12),
)
COUNTS = st.integers(0, 1 << 40)
COSTS = st.none() | COUNTS
NUMBERS = st.floats(0, 1e9)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner | TEXTS, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXTS, JSON | TEXTS, max_size=3)
ORIGINS = st.builds(Origin, TEXTS, TEXTS, TEXTS)
DATA = st.none() | st.builds(ProviderData, ORIGINS, OBJECTS)
BYTES = st.binary(max_size=20)
IMAGES = st.builds(Image, TEXTS, BYTES, st.none() | TEXTS)
DOCUMENTS = st.builds(Document, TEXTS, BYTES, TEXTS)
USAGES = st.none() | st.builds(
    Usage,
    COUNTS,
    COUNTS,
    COUNTS,
    COUNTS,
    COUNTS,
    COUNTS,
    st.sampled_from(["final", "partial", "estimated"]),
)
TOTALS = st.builds(Totals, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)


def some(one: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(one, max_size=2).map(tuple)


PARTS = st.one_of(
    st.builds(Text, TEXTS, DATA),
    st.builds(Thinking, TEXTS, DATA),
    st.builds(ToolCall, TEXTS, TEXTS, OBJECTS, DATA),
    st.builds(Native, st.builds(ProviderData, ORIGINS, OBJECTS)),
)
RESULTS = st.builds(
    Result,
    st.builds(
        ToolResult,
        TEXTS,
        TEXTS,
        some(st.builds(Text, TEXTS, DATA) | IMAGES | DOCUMENTS),
        st.booleans(),
    ),
    TEXTS,
    st.sampled_from(["done", "error", "denied", "cancelled", "unknown"]),
    NUMBERS,
)
ATTACHED = st.builds(
    AttachedText,
    TEXTS,
    TEXTS | TEXTS.map(lambda text: (text + "\ud83d") * 2000),
    TEXTS,
    st.sampled_from(["file", "selection", "skill"]),
    st.none() | TEXTS,
)
SWITCHED = some(st.builds(Switched, TEXTS, TEXTS, TEXTS))
USERS = st.builds(
    User, TEXTS, TEXTS, some(ATTACHED), some(IMAGES), TEXTS, SWITCHED, SWITCHED, st.booleans()
)
ASSISTANTS = st.builds(
    Assistant,
    parts=some(PARTS),
    turn=TEXTS,
    step=COUNTS,
    model=TEXTS,
    model_name=TEXTS,
    reason=TEXTS,
    usage=USAGES,
    cost_micros=COSTS,
    sureness=st.builds(
        EntryConfidence, st.none() | NUMBERS, st.sampled_from(["logprobs", "unknown"])
    ),
    source=st.builds(AnswerSource, TEXTS, TEXTS, TEXTS, some(TEXTS)),
    seconds=NUMBERS,
    thinking_seconds=NUMBERS,
)
TITLES = st.builds(Title, TEXTS, TEXTS, USAGES, COSTS)
SUMMARIES = st.builds(
    Summary,
    TEXTS,
    TEXTS,
    USAGES,
    COSTS,
    some(TEXTS),
    st.builds(MissingFromSummary, some(TEXTS), some(TEXTS), some(TEXTS), some(TEXTS)),
)
ASKED = st.builds(SideQuestion, TEXTS, st.sampled_from(["title_request", "summary_request"]))
CONTENTS: st.SearchStrategy[EntryContent] = st.one_of(
    USERS,
    ASSISTANTS,
    st.builds(ToolResults, some(RESULTS), TEXTS, COUNTS),
    st.builds(System, TEXTS, TEXTS),
    st.builds(
        Error,
        st.builds(
            Failure,
            st.sampled_from(["auth", "network", "timeout"]),
            TEXTS,
            TEXTS,
            st.none() | COUNTS,
            st.none() | TEXTS,
            st.none() | TEXTS,
            st.none() | NUMBERS,
            st.none() | st.booleans(),
        ),
        TEXTS,
    ),
    st.builds(Notice, TEXTS, TEXTS, TEXTS, some(TEXTS)),
    ASKED,
    TITLES,
    SUMMARIES,
    st.builds(
        Accounting,
        st.sampled_from(["edit", "retry", "checkpoint_removed"]),
        COUNTS,
        COUNTS,
        TOTALS,
        TEXTS,
    ),
)


def numbered(contents: Sequence[EntryContent]) -> tuple[ChatEntry, ...]:
    """A history of these contents."""
    return tuple(
        ChatEntry(f"e{seq}", seq, 1_700_000_000_000 + seq, content)
        for seq, content in enumerate(contents, 1)
    )


RANDOM_ENTRIES = st.lists(CONTENTS, max_size=6).map(numbered)
