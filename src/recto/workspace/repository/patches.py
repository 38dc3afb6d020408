"""Diffs as git writes them: taken apart into hunks, and put together again from some of these."""

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

LineKind = Literal["same", "added", "removed", "note"]
HEAD = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)")
KINDS: dict[bytes, LineKind] = {b" ": "same", b"+": "added", b"-": "removed", b"\\": "note"}
MOST_LINES = 5000
LONGEST_LINE = 2000


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a diff without its sign."""

    kind: LineKind
    text: str


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """A passage that differs. The id is its content's: another diff has the same hunk, or not."""

    id: str
    old_start: int
    new_start: int
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class PatchPiece:
    """A hunk to the last byte."""

    id: str
    old: tuple[int, int]
    new: tuple[int, int]
    tail: bytes
    body: bytes

    @property
    def growth(self) -> int:
        """By how many lines the text is longer after it."""
        return self.new[1] - self.old[1]

    def at(self, old_start: int, new_start: int) -> bytes:
        """The hunk with these places in its head."""
        head = b"@@ -%d,%d +%d,%d @@" % (old_start, self.old[1], new_start, self.new[1])
        return head + self.tail + b"\n" + self.body


@dataclass(frozen=True, slots=True)
class Patch:
    """The diff of one file."""

    head: bytes
    pieces: tuple[PatchPiece, ...]
    changes_kind: bool = False
    """Whether a file became a link, or the other way round: git tells of two files then."""

    @property
    def is_binary(self) -> bool:
        """Whether there are no lines to show."""
        return b"\nBinary files " in b"\n" + self.head

    def hunks(self) -> tuple[tuple[DiffHunk, ...], bool]:
        """The hunks as people read them, and whether that is not all of them."""
        found: list[DiffHunk] = []
        room = MOST_LINES
        for piece in self.pieces:
            lines = piece.body.split(b"\n")[:-1]
            if len(lines) > room:
                return tuple(found), True
            room -= len(lines)
            shown = tuple(as_line(line) for line in lines)
            found.append(DiffHunk(piece.id, piece.old[0], piece.new[0], shown))
        return tuple(found), False

    def only(self, ids: Collection[str], *, backwards: bool) -> bytes | None:
        """A patch of some hunks; None when one of them is not here.

        Git looks for a hunk at the place that its head names: that must count only those before it
        which are taken. `backwards` is for a patch that is taken back from the new text.
        """
        chosen = [piece for piece in self.pieces if piece.id in ids]
        if not chosen or len(chosen) != len(set(ids)):
            return None
        grown = 0
        parts = [without_modes(self.head)]
        for piece in chosen:
            old, new = piece.old[0], piece.new[0]
            # A count of zero names the line before: only in files that are wholly new or gone.
            if 0 not in (piece.old[1], piece.new[1]):
                old, new = (new - grown, new) if backwards else (old, old + grown)
            parts.append(piece.at(old, new))
            grown += piece.growth
        return b"".join(parts)


def read_patch(raw: bytes) -> Patch:
    """Take the diff of one file apart."""
    lines = raw.split(b"\n")
    # Lines of a text begin with a sign, so that this is the head of another file.
    if sum(line.startswith(b"diff --git ") for line in lines) > 1:
        return Patch(raw, (), changes_kind=True)
    starts = [at for at, line in enumerate(lines) if HEAD.fullmatch(line)]
    head = lines[: starts[0]] if starts else lines[:-1]
    ends = [*starts[1:], len(lines) - 1]
    pieces = [
        piece_of(lines[start], lines[start + 1 : end])
        for start, end in zip(starts, ends, strict=False)
    ]
    return Patch(b"".join(line + b"\n" for line in head), tuple(pieces))


def piece_of(head: bytes, lines: Sequence[bytes]) -> PatchPiece:
    """A hunk of these lines."""
    found = HEAD.fullmatch(head)
    assert found is not None
    old_start, old_count, new_start, new_count = (
        1 if number is None else int(number) for number in found.groups()[:4]
    )
    body = b"".join(line + b"\n" for line in lines)
    digest = hashlib.sha256(head + b"\n" + body).hexdigest()[:20]
    tail: bytes = found[5]
    return PatchPiece(digest, (old_start, old_count), (new_start, new_count), tail, body)


def as_line(raw: bytes) -> DiffLine:
    """A line as people read it."""
    kind = KINDS.get(raw[:1], "same")
    text = raw[1:].decode("utf-8", "replace").removesuffix("\r")
    return DiffLine(kind, text if len(text) <= LONGEST_LINE else text[:LONGEST_LINE] + "…")


def without_modes(head: bytes) -> bytes:
    """A head that changes no file's mode: who takes some lines has not asked for that."""
    kept = [
        line
        for line in head.split(b"\n")
        if not line.startswith((b"old mode ", b"new mode ", b"similarity ", b"rename "))
    ]
    return b"\n".join(kept)


def all_added(text: str) -> tuple[tuple[DiffHunk, ...], bool]:
    """The one hunk of a file that git does not know yet, and whether that is not all of it."""
    lines = text.splitlines()
    shown = tuple(as_line(b"+" + line.encode()) for line in lines[:MOST_LINES])
    hunks = (DiffHunk("", 0, 1, shown),) if shown else ()
    return hunks, len(lines) > MOST_LINES
