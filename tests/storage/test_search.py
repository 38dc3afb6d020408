import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text as sql

from recto.storage import RecordNotFound, SearchHit, Storage, WriteTransaction, tables
from recto.storage.schema import bring_up_to_date
from recto.storage.search_words import Snippet, snippet, terms, words
from tests.examples import examples
from tests.storage.conftest import StepClock, add_chat, add_project, run_sql
from tests.storage.test_schema import engine_at

pytestmark = pytest.mark.anyio

INDEXES = {
    "sqlite": "SELECT sql FROM sqlite_master WHERE type = 'trigger' OR name = 'chat_words'",
    "postgresql": "SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%USING gin%'",
}
HOSTILE = [
    "",
    " ",
    '"',
    '""""',
    "'",
    "\\",
    "*",
    "a*",
    "-a",
    "NOT a",
    "a AND",
    "OR OR OR",
    "NEAR(a b, 2)",
    "text:a",
    "{a b}: c",
    "^a",
    "a + b",
    "(((",
    "a & | ! <-> b",
    "'a':* & !b",
    "a:*",
    "a\\'b",
    "\0",
    "\ud83d",
    "a\0b",
    "%_%",
    "; DROP TABLE chats; --",
    "\u202e\u200b\ufeff",
    "𞤀𞤁",
    "½ ² ﬁ ß İ",
    "ก็ 東京 한국어",
    "x" * 5000,
    " ".join("abc" for _ in range(5000)),
    '"' + "b " * 3000,
]


async def write_entry(
    storage: Storage, write: WriteTransaction, number: int, text: str, chat: str = "c1"
) -> None:
    record = await storage.chats.append(
        write, chat, id=f"{chat}-e{number}", kind="user", body={"text": text}
    )
    await storage.search.add(write, chat_id=chat, seq=record.seq, entry_id=record.id, text=text)


async def chat_with(storage: Storage, *texts: str) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        for number, text in enumerate(texts, 1):
            await write_entry(storage, write, number, text)


async def found(storage: Storage, query: str) -> list[int]:
    return [hit.seq for hit in await storage.search.find("project-of-c1", query)]


async def test_a_hit_says_where_it_is_and_shows_the_words(storage: Storage) -> None:
    await chat_with(storage, "The budget of the\nproject is small.")

    assert await storage.search.find("project-of-c1", "project small") == (
        SearchHit(
            chat_id="c1",
            title="",
            seq=1,
            entry_id="c1-e1",
            kind="user",
            snippet="The budget of the project is small.",
            ranges=((18, 25), (29, 34)),
        ),
    )


@pytest.mark.parametrize(
    ("query", "seqs"),
    [
        ("migr", [2, 1]),
        ("MIGRATION", [2, 1]),
        ("migration postgres", [1]),
        ('"the migration"', [1]),
        ('"migration the"', []),
        ('"migr"', []),
        ("cafe", [3]),
        ("CAFÉ", [3]),
        ("café", [3]),
        ("strasse", [3]),
        ("京都", [4]),
        ("都大", [4]),
        ("京大", []),
        ("store py", [5]),
        ("store.py", [5]),
        ("chat_store", [5]),
        ("nothing", []),
    ],
)
async def test_words_are_found_by_their_beginnings_and_phrases_as_they_stand(
    storage: Storage, query: str, seqs: list[int]
) -> None:
    await chat_with(
        storage,
        "the migration to Postgres",
        "a migration of birds",
        "Café in der Straße",
        "京都大学で学ぶ",
        "see src/chat_store.py",
    )

    assert await found(storage, query) == seqs


@pytest.mark.parametrize("way", ["made new", "step by step"])
async def test_a_store_that_was_brought_up_to_date_is_searched_by_the_same_index(
    address: str, way: str, clock: StepClock
) -> None:
    if way == "step by step":
        engine = await engine_at(address)
        await bring_up_to_date(engine, head="m0001")
        await engine.close()
    storage = await Storage.open(address, clock=clock)
    await chat_with(storage, "the migration")
    assert await found(storage, "migr") == [1]
    await storage.close()

    engine = await engine_at(address)
    async with engine.readers.connect() as connection:
        kind = connection.dialect.name
        made = set(await connection.scalars(sql(INDEXES[kind])))
    await engine.close()
    wanted = tables.SEARCH_INDEXES[kind]
    assert made == (set(wanted) if kind == "sqlite" else {"ix_chat_search_words"})


async def test_what_was_discarded_in_a_chat_is_still_found(storage: Storage) -> None:
    await chat_with(storage, "first try")
    async with storage.write() as write:
        await storage.chats.append(write, "c1", id="a1", kind="accounting", body={"from_seq": 1})

    assert await found(storage, "first") == [1]


async def test_a_deleted_chat_is_not_found(storage: Storage) -> None:
    await chat_with(storage, "secret plan")
    async with storage.write() as write:
        await storage.chats.tombstone(write, "c1")

    assert await found(storage, "secret") == []


async def test_a_chat_that_is_forgotten_leaves_no_word_behind(
    storage: Storage, address: str
) -> None:
    await chat_with(storage, "secret plan", "another")
    async with storage.write() as write:
        await storage.search.remove_chat(write, "c1")

    assert await found(storage, "secret") == []
    if "://" not in address:
        await run_sql(address, "INSERT INTO chat_words (chat_words) VALUES ('integrity-check')")


async def test_chats_that_go_with_their_project_leave_no_word_behind(
    storage: Storage, address: str
) -> None:
    await chat_with(storage, "secret plan")
    async with storage.write() as write:
        await storage.projects.remove(write, "project-of-c1")

    assert await found(storage, "secret") == []
    if "://" not in address:
        await run_sql(address, "INSERT INTO chat_words (chat_words) VALUES ('integrity-check')")


async def test_a_project_finds_its_own_chats_and_the_global_ones(storage: Storage) -> None:
    async with storage.write() as write:
        for project in ("p1", "p2"):
            await add_project(storage, write, project)
        for chat, project, is_global in (
            ("a", "p1", False),
            ("b", "p2", True),
            ("c", "p2", False),
        ):
            await storage.chats.add(
                write, id=chat, project_id=project, title=chat, meta={}, is_global=is_global
            )
            await write_entry(storage, write, 1, "hello", chat)

    hits = await storage.search.find("p1", "hello")
    assert [(hit.chat_id, hit.title) for hit in hits] == [("b", "b"), ("a", "a")]


async def test_a_chat_is_found_by_its_latest_title(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        await storage.search.name(write, "c1", "Old name")
        await storage.search.name(write, "c1", "New name")

    assert await found(storage, "old") == []
    assert await storage.search.find("project-of-c1", "new") == (
        SearchHit("c1", "", 0, None, None, "New name", ((0, 3),)),
    )


async def test_a_text_needs_its_chat(storage: Storage) -> None:
    with pytest.raises(RecordNotFound, match="There is no chat c1"):
        async with storage.write() as write:
            await storage.search.add(write, chat_id="c1", seq=1, entry_id="e1", text="hello")


async def test_the_end_of_a_long_text_is_found_too(storage: Storage) -> None:
    await chat_with(storage, "word " * 50_000 + "needle", "漢" * 50_000 + "針")

    (latin,) = await storage.search.find("project-of-c1", "needle")
    (han,) = await storage.search.find("project-of-c1", "漢針")
    assert (latin.seq, latin.snippet[slice(*latin.ranges[0])]) == (1, "needle")
    assert (han.seq, han.snippet[slice(*han.ranges[-1])][-1]) == (2, "針")


async def test_no_more_hits_than_asked_for(storage: Storage) -> None:
    await chat_with(storage, *("hello" for _ in range(5)))

    hits = await storage.search.find("project-of-c1", "hello", 2)
    assert [hit.seq for hit in hits] == [5, 4]


async def test_no_query_breaks_the_search(storage: Storage) -> None:
    await chat_with(storage, *HOSTILE)

    for query in HOSTILE:
        await storage.search.find("project-of-c1", query)


ODD_TEXT = st.text(st.characters(codec=None), max_size=40)


@settings(max_examples=examples(30), deadline=None)
@given(text=ODD_TEXT, query=ODD_TEXT)
def test_a_snippet_marks_whole_words_of_the_text(text: str, query: str) -> None:
    shown = snippet(text, terms(query))

    assert all(0 <= start < end <= len(shown.text) for start, end in shown.ranges)
    assert list(shown.ranges) == sorted(shown.ranges)


@settings(max_examples=examples(50), deadline=None)
@given(ODD_TEXT)
def test_no_word_contains_what_an_engine_takes_for_syntax(text: str) -> None:
    for word in words(text):
        assert all(c.isalnum() or unicodedata.category(c)[0] == "M" for c in word.folded)
        assert 0 < len(word.folded) <= 64


async def test_every_text_is_found_by_its_own_words(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)

    texts = [
        "Ünïcödé ﬁne ½ cup",
        "हिन्दी में लिखा",
        "ภาษาไทยง่าย",
        "e\u0301te\u0301",
        "𐐀𐐁 Deseret",
        "한국어 문장",
        "ﾊﾝｶｸ",
        "a\u200bb",
    ]
    for number, text in enumerate(texts, 1):
        async with storage.write() as write:
            await write_entry(storage, write, number, text)
        for query in (text, text.upper(), f'"{text}"'):
            assert number in await found(storage, query), (text, query)


def test_a_snippet_is_cut_from_the_middle_of_a_long_text() -> None:
    text = "before " * 30 + "needle" + " after" * 60

    shown = snippet(text, terms("needle"))
    assert len(shown.text) == 222
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")
    assert [shown.text[start:end] for start, end in shown.ranges] == ["needle"]


def test_a_text_without_the_words_is_shown_from_its_beginning() -> None:
    assert snippet("a b c", terms("z")) == Snippet("a b c", ())
