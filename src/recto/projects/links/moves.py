"""What a move changes in the links of one text, and where such texts are looked for."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

from recto.projects.links.folder_names import FolderNames, after_move, without_ending
from recto.projects.links.markdown_links import TextLink, find_links
from recto.projects.links.notebook_texts import passages_of
from recto.projects.links.spelling import meant, spelled

WORD = re.compile(r"[A-Za-z0-9]+")
SHORT = 3
MOST_NAMES = 30  # of files in a moved folder that others are named like


@dataclass(frozen=True, slots=True)
class Move:
    """Something gets another path; the names of the folder before and after."""

    old: str
    new: str
    before: FolderNames
    after: FolderNames

    def place(self, path: str) -> str:
        """Where a path is afterwards."""
        return after_move(path, self.old, self.new)


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A link that is spelled otherwise; none can be, where `after` is None."""

    link: TextLink
    after: str | None


def link_changes(
    text: str, path: str, move: Move, wanted: Mapping[str, str] | None = None
) -> tuple[LinkChange, ...]:
    """The links of a text, by its path before the move, that would lead elsewhere after it.

    `wanted` has spellings that are taken if they are right: those from before an undone move.
    """
    found: list[LinkChange] = []
    place = move.place(path)
    for link in find_links(text, passages_of(path, text)):
        target = meant(link, path, move.before)
        if target is None:
            continue  # it led nowhere before
        wished = (wanted or {}).get(link.raw)
        if wished and meant(like(link, wished), place, move.after) == move.place(target):
            found.append(LinkChange(link, wished))
        elif meant(link, place, move.after) != move.place(target):
            after = spelled(link, move.place(target), place, move.after)
            found.append(LinkChange(link, after))
    return tuple(found)


def like(link: TextLink, raw: str) -> TextLink:
    """A link with other words."""
    return replace(link, raw=raw)


def mentions(move: Move) -> str:
    """A regular expression for the lines with links that a move may break."""
    names = {name_of(move.old)}
    if not move.before.is_file(move.old):
        inside = [path for path in move.before.paths if path.startswith(f"{move.old}/")]
        # By its bare name a link still finds a file, unless another one has that name, too.
        alike = (path for path in inside if len(move.before.named_alike(path)) > 1)
        names |= {name_of(path) for path, _ in zip(alike, range(MOST_NAMES), strict=False)}
    elif len(move.after.named_alike(move.new)) > 1:
        names.add(name_of(move.new))
    return "|".join(needles(names))


def needles(names: Iterable[str]) -> list[str]:
    """A regular expression for each name, however it is encoded in a link."""
    return sorted({needle(name) for name in names})


def needle(name: str) -> str:
    """The longest part of a name that every encoding leaves as it is, or each way to write it."""
    stem = without_ending(name)
    words = WORD.findall(stem)
    word = max(words, key=len, default="")
    if len(word) >= SHORT:
        return word
    if stem.isascii() or not stem:
        return r"""[\[(/<"' :]""" + (word or re.escape(stem))
    run = max(re.findall(r"[^\x00-\x7f]+", stem), key=len)[:20]
    forms = {unicodedata.normalize(form, run) for form in ("NFC", "NFD")}
    return "(?:" + "|".join(sorted({*map(re.escape, forms), *map(quote, forms)})) + ")"


def name_of(path: str) -> str:
    """A path without the folders it is in."""
    return path.rpartition("/")[2]
