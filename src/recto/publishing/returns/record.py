"""What is kept of a draft that is published as a Word document, until it comes back."""

import hashlib
import os
import re
import zlib
from collections.abc import Iterator, Sequence
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
MOST_BYTES = 400_000_000


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
    """The records, each a file of the home."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, record: SentDraft) -> None:
        """Keep a record, readable by the user alone."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder_fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            data = zlib.compress(msgspec.msgpack.encode(record))
            replace_file(folder_fd, record.id, data, mode=0o600)
        finally:
            os.close(folder_fd)

    def get(self, name: str) -> SentDraft | None:
        """The record with this name, if it is here."""
        if not NAME.fullmatch(name):
            return None
        try:
            packed = (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None
        data = zlib.decompressobj().decompress(packed, MOST_BYTES)
        return msgspec.msgpack.decode(data, type=SentDraft)

    def of_draft(
        self, root: str, path: str, paragraphs: Sequence[ContentParagraph]
    ) -> SentDraft | None:
        """Of the records of a draft that which has most paragraphs of a document."""
        texts = {item.text for item in paragraphs}
        found = [item for item in self._all() if (item.root, item.path) == (root, path)]
        scored = [(sum(one.text in texts for one in item.paragraphs), item) for item in found]
        # The newest of several that are as much alike: they come in the order of their age.
        best = max(scored, key=lambda scored: scored[0], default=(0, None))
        return best[1] if best[0] else None

    def _all(self) -> Iterator[SentDraft]:
        """Every record, the newest first."""
        with suppress(FileNotFoundError):
            files = [item for item in self._folder.iterdir() if NAME.fullmatch(item.name)]
            for file in sorted(files, key=lambda item: item.stat().st_mtime, reverse=True):
                record = self.get(file.name)
                if record is not None:
                    yield record
