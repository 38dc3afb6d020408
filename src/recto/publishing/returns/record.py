"""What is kept of a draft that is published as a Word document, until it comes back."""

import hashlib
import os
import re
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from recto.durable import replace_file
from recto.publishing.composition import Composition
from recto.publishing.draft import Draft
from recto.publishing.options import PublishOptions
from recto.publishing.styles import CitationStyle
from recto.references import CitedEntries
from recto.word import ContentParagraph, ReadContents, ask_worker

MARK = "recto-draft"
"""The property of the document that names the record."""
NAME = re.compile(r"[0-9a-f]{40}")
FILE = re.compile(r"(?P<id>[0-9a-f]{40})\.(?P<draft>[0-9a-f]{16})")
MOST_BYTES = 400_000_000
MOST_OF_DRAFT = 100
MOST_KEPT_BYTES = 500_000_000
MOST_COMPARED = 20
"""Of a document that does not say what it is, so many of its draft's newest records are read."""


class SentDraft(msgspec.Struct, frozen=True):
    """A draft as it was published, and the paragraphs that came of it."""

    id: str
    root: str
    """The folder of the project."""
    path: str
    parts: tuple[tuple[str, str], ...]
    """Path and text of each file."""
    number_sections: bool
    contents: bool
    bibtex: str
    csl: str
    style: bytes
    paragraphs: tuple[ContentParagraph, ...] = ()

    @property
    def texts(self) -> list[str]:
        """The text of each file."""
        return [text for _, text in self.parts]

    @property
    def options(self) -> PublishOptions:
        """How it was published, as far as words depend on it."""
        return PublishOptions("docx", number_sections=self.number_sections, contents=self.contents)

    @property
    def entries(self) -> CitedEntries:
        """What it cited."""
        return CitedEntries(self.bibtex, self.csl, ())


def record_of(
    root: str, draft: Draft, composed: Composition, style: CitationStyle, options: PublishOptions
) -> SentDraft:
    """The record of a draft that is about to be published, named by all that it holds."""
    parts = tuple((part.path, part.text.replace("\r\n", "\n")) for part in draft.parts)
    unnamed = SentDraft(
        "", root, draft.path, parts, options.number_sections, options.contents,
        composed.entries.bibtex, composed.entries.csl, style.data,
    )  # fmt: skip
    name = hashlib.blake2b(msgspec.msgpack.encode(unnamed), digest_size=20).hexdigest()
    return msgspec.structs.replace(unnamed, id=name)


async def with_paragraphs(record: SentDraft, data: bytes) -> SentDraft:
    """The record with what its document says. Raises a WordFailure."""
    found = (await ask_worker(ReadContents(MARK), data)).contents
    if found is None:
        raise TypeError("A document that was read has contents.")
    return msgspec.structs.replace(record, paragraphs=found.paragraphs)


class SentDrafts:
    """The records, each a file of the home, whose name says of which draft it is."""

    def __init__(
        self, folder: Path, *, most: int = MOST_OF_DRAFT, most_bytes: int = MOST_KEPT_BYTES
    ) -> None:
        self._folder = folder
        self._most = most
        self._most_bytes = most_bytes

    def keep(self, record: SentDraft) -> None:
        """Keep a record, readable by the user alone; the oldest go where there are too many."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{record.id}.{draft_key(record.root, record.path)}"
        folder_fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            data = zlib.compress(msgspec.msgpack.encode(record))
            replace_file(folder_fd, name, data, mode=0o600)
        finally:
            os.close(folder_fd)
        self._prune(name)

    def get(self, name: str) -> SentDraft | None:
        """The record with this name, if it is here."""
        if not NAME.fullmatch(name):
            return None
        file = next(self._folder.glob(f"{name}.*"), None)
        return None if file is None else self._read(file)

    def _read(self, file: Path) -> SentDraft | None:
        """A record; None if another Recto has just pruned it."""
        try:
            packed = file.read_bytes()
        except FileNotFoundError:
            return None
        data = zlib.decompressobj().decompress(packed, MOST_BYTES)
        return msgspec.msgpack.decode(data, type=SentDraft)

    def of_draft(
        self, root: str, path: str, paragraphs: Sequence[ContentParagraph]
    ) -> SentDraft | None:
        """Of the records of a draft that which has most paragraphs of a document."""
        texts = {item.text for item in paragraphs}
        key = draft_key(root, path)
        files = [file for file in self._files() if file.name.endswith(f".{key}")][:MOST_COMPARED]
        found = [record for file in files if (record := self._read(file)) is not None]
        scored = [(sum(one.text in texts for one in item.paragraphs), item) for item in found]
        # The newest of several that are as much alike: they come in the order of their age.
        best = max(scored, key=lambda scored: scored[0], default=(0, None))
        return best[1] if best[0] else None

    def _files(self) -> list[Path]:
        """The file of every record, the newest first."""
        try:
            found = [(age_of(item), item) for item in self._folder.iterdir()]
        except FileNotFoundError:
            return []
        dated = [(age, item) for age, item in found if age and FILE.fullmatch(item.name)]
        return [item for _, item in sorted(dated, key=lambda one: one[0], reverse=True)]

    def _prune(self, kept: str) -> None:
        """Take away the oldest records: of each draft, and of all."""
        counts: dict[str, int] = {}
        total = 0
        for file in self._files():
            draft = file.suffix
            counts[draft] = counts.get(draft, 0) + 1
            with suppress(FileNotFoundError):  # another Recto of this home prunes, too
                total += file.stat().st_size
                if file.name != kept and (counts[draft] > self._most or total > self._most_bytes):
                    file.unlink()


def age_of(file: Path) -> int:
    """When a file was written; 0 if it is gone."""
    try:
        return file.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def draft_key(root: str, path: str) -> str:
    """What the records of one draft have in their names."""
    return hashlib.blake2b(f"{root}\0{path}".encode(), digest_size=8).hexdigest()
