"""Files are counted as a chat would send them, each content once, and never as they were."""

import os
from typing import cast

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.chats.prompts.attachments import attach
from recto.clock import SystemClock
from recto.projects import FileCounts
from recto.projects.file_counts import CountedFiles, hash_of
from recto.storage import DatabaseFull, Storage
from recto.tokenizer import Count, tokenize
from recto.workspace import WorkspaceFailure
from tests.projects.conftest import Bench
from tests.tools.bench import FakeDocuments
from tests.word.documents import by_hand, paragraph
from tests.workspace.hostile import CORPUS, furnish

pytestmark = pytest.mark.anyio

TEXTS = {
    "empty.txt": b"",
    "plain.txt": b"The tide gauge at Brest has run since 1807.",
    "crlf.txt": b"one\r\ntwo\r\n",
    "utf8.md": "Ebbe und Flut, übermäßig 潮位".encode(),
    "bom.txt": b"\xef\xbb\xbfwith a mark",
    "utf16.txt": "Γειά".encode("utf-16"),
    "cp1252.txt": "na\u00efve caf\u00e9 \u201cquoted\u201d".encode("cp1252"),
    "latin.txt": b"\x81\x8d and more",
    "long.txt": b"word " * 30_000,
    "cut-inside-a-letter.txt": b"x" + "é".encode() * 40_000,
    "escape.txt": b"\x1b[1m bold \x1b[0m",
    "report.docx": by_hand(paragraph("Some words of a report.")),
}


async def as_sent(bench: Bench, path: str) -> Count | type[WorkspaceFailure]:
    """What a chat would send of the file, counted."""
    try:
        return tokenize((await attach(bench.workspace, path, FakeDocuments())).text)
    except WorkspaceFailure as failure:
        return type(failure)


def outcome(found: CountedFiles, path: str) -> Count | type[WorkspaceFailure]:
    return found.counts[path] if path in found.counts else type(found.failures[path])


async def plant(bench: Bench, data: bytes, count: tuple[int, int]) -> None:
    """Have the store say that a content has this count."""
    async with bench.storage.write() as write:
        await bench.storage.token_counts.put_many(write, {hash_of(data): count})


async def test_every_encoding_is_counted_as_it_would_be_sent(bench: Bench) -> None:
    for name, data in TEXTS.items():
        (bench.root / name).write_bytes(data)

    found = await bench.count(*TEXTS)

    assert found.failures == {}
    assert found.counts == {name: await as_sent(bench, name) for name in TEXTS}
    assert found.counts["long.txt"].total < 11_000
    assert found.counts["utf8.md"].other > 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
async def test_any_bytes_are_counted_as_they_would_be_sent(bench: Bench, data: bytes) -> None:
    (bench.root / "any").write_bytes(data)

    assert outcome(await bench.count("any"), "any") == await as_sent(bench, "any")


async def test_hostile_paths_have_the_outcome_they_have_in_a_chat(bench: Bench) -> None:
    furnish(bench.root)
    paths = CORPUS[::7]

    found = await bench.count(*paths)

    assert {path: outcome(found, path) for path in paths} == {
        path: await as_sent(bench, path) for path in paths
    }


async def test_what_is_no_text_says_why(bench: Bench) -> None:
    (bench.root / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (bench.root / "same.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (bench.root / "lines.txt").write_bytes(b"\n" * 200_000)
    (bench.root / "sparse").touch()
    os.truncate(bench.root / "sparse", 2_000_000_000)
    (bench.root / "folder").mkdir()
    os.mkfifo(bench.root / "pipe")
    paths = ("picture.png", "same.png", "lines.txt", "sparse", "folder", "pipe", "gone.txt")

    for found in (await bench.count(*paths), await bench.count(*paths)):
        assert found.counts == {}
        assert found.missing == ["gone.txt"]
        assert found.unreadable == {
            "picture.png": '"picture.png" is not a text file.',
            "same.png": '"same.png" is not a text file.',
            "lines.txt": '"lines.txt" is over the limit of 200,000 lines.',
            "sparse": '"sparse" is over the limit of 10 MB.',
            "folder": '"folder" is not an ordinary file.',
            "pipe": '"pipe" is not an ordinary file.',
        }


async def test_a_content_that_is_in_the_store_is_not_counted_again(bench: Bench) -> None:
    for name in ("a.txt", "copy.txt"):
        (bench.root / name).write_bytes(b"some words")
    await plant(bench, b"some words", (1000, 20))

    found = await bench.count("a.txt", "copy.txt")

    assert found.counts == {"a.txt": Count(1000, 20), "copy.txt": Count(1000, 20)}


async def test_what_was_counted_is_in_the_store_after_a_restart(bench: Bench) -> None:
    for number in range(50):
        (bench.root / f"{number}.txt").write_text(f"number {number}", encoding="utf-8")
    paths = [f"{number}.txt" for number in range(50)]

    before = await bench.count(*paths)
    await bench.counts.save()
    hashes = [hash_of(f"number {number}".encode()) for number in range(50)]
    stored = await bench.storage.token_counts.get_many(hashes)
    after = await bench.restarted().of(bench.workspace, paths)

    assert len(stored) == 50
    assert set(stored.values()) == {(count.ascii, count.other) for count in before.counts.values()}
    assert after == before


async def test_a_file_that_changes_is_counted_again_and_one_that_does_not_is_not(
    bench: Bench,
) -> None:
    file = bench.root / "a.txt"
    file.write_bytes(b"some words")
    await plant(bench, b"some words", (1000, 0))
    first = await bench.count("a.txt")
    await plant(bench, b"other, longer text", (2000, 0))
    file.write_bytes(b"other, longer text")
    changed = await bench.count("a.txt")
    file.unlink()
    gone = await bench.count("a.txt")
    file.write_bytes(b"some words")
    back = await bench.count("a.txt")

    assert [item.counts.get("a.txt") for item in (first, changed, gone, back)] == [
        Count(1000),
        Count(2000),
        None,
        Count(1000),
    ]
    assert gone.missing == ["a.txt"]


async def test_a_file_that_still_looks_the_same_is_not_even_read(bench: Bench) -> None:
    (bench.root / "a.txt").write_bytes(b"some words")
    before = await bench.count("a.txt")
    await bench.counts.save()
    await bench.storage.close()

    assert await bench.count("a.txt") == before


async def test_a_file_that_was_written_just_now_is_never_taken_for_what_it_was(
    bench: Bench,
) -> None:
    now = FileCounts(bench.storage, SystemClock(), bench.supervisor)
    file = bench.root / "a.txt"
    seen: list[int] = []
    for number in range(60):
        file.write_bytes(b"abc abc abc " if number % 2 else b"!?=;-)&%#+*~")
        seen.append((await now.of(bench.workspace, ["a.txt"])).counts["a.txt"].total)

    words, signs = tokenize("abc abc abc ").total, tokenize("!?=;-)&%#+*~").total
    assert words != signs
    assert seen == [signs, words] * 30


async def test_a_link_counts_as_what_it_leads_to_now(bench: Bench) -> None:
    (bench.root / "one.txt").write_bytes(b"one")
    (bench.root / "more.txt").write_bytes(b"one and two and three")
    (bench.root / "link").symlink_to("one.txt")
    first = await bench.count("link", "one.txt")
    (bench.root / "link").unlink()
    (bench.root / "link").symlink_to("more.txt")
    second = await bench.count("link", "more.txt")

    assert first.counts["link"] == first.counts["one.txt"] == Count(1)
    assert second.counts["link"] == second.counts["more.txt"] == Count(5)


async def test_who_asks_meanwhile_gets_the_same_answer(bench: Bench) -> None:
    for number in range(300):
        (bench.root / f"{number}.txt").write_text(f"text {number} " * 20, encoding="utf-8")
    paths = [f"{number}.txt" for number in range(300)]
    answers: list[CountedFiles] = []

    async def ask(some: list[str]) -> None:
        answers.append(await bench.count(*some))

    async with anyio.create_task_group() as askers:
        for _ in range(4):
            askers.start_soon(ask, paths)

    assert answers == [answers[0]] * 4
    assert len(answers[0].counts) == 300


class FullStorage:
    """A store whose disk is full."""

    def __init__(self, storage: Storage) -> None:
        self.token_counts = storage.token_counts

    def write(self) -> object:
        raise DatabaseFull


async def test_a_full_disk_costs_only_the_remembering(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    (bench.root / "a.txt").write_bytes(b"some words")
    full = FileCounts(cast(Storage, FullStorage(bench.storage)), SystemClock(), bench.supervisor)

    found = await full.of(bench.workspace, ["a.txt"])
    await full.save()

    assert found.counts == {"a.txt": Count(2)}
    assert "token counts are not kept: There is no space left" in caplog.text
