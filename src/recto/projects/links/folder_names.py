"""Which file a link means: the one answer for opening, showing, counting and renaming."""

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

NOTE_ENDINGS = (".md", ".markdown", ".mkd", ".qmd", ".rmd")
NOTEBOOK = ".ipynb"


def is_note(path: str) -> bool:
    """Whether a file is Markdown."""
    return path.lower().endswith(NOTE_ENDINGS)


def has_links(path: str) -> bool:
    """Whether links are looked for in a file: in Markdown, also that of a notebook's cells."""
    return is_note(path) or path.lower().endswith(NOTEBOOK)


def key_of(name: str) -> str:
    """A name as links compare it: accents composed or not and letters large or small are one."""
    return unicodedata.normalize("NFC", name).casefold()


def beside(path: str, target: str) -> str | None:
    """A relative path as one of the folder; None when it leaves that."""
    parts = path.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def after_move(path: str, old: str, new: str) -> str:
    """Where a path is once another one, or a folder around it, has moved."""
    if path == old:
        return new
    return new + path[len(old) :] if path.startswith(f"{old}/") else path


def without_ending(name: str) -> str:
    """A name without what stands behind its last dot; one that begins with it is whole."""
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name


class FolderNames:
    """The files of a folder, as links find them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths: Sequence[str] = sorted(paths)
        self._there = frozenset(self.paths)
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        self._by_stem: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            name = path.rpartition("/")[2]
            self._by_name[key_of(name)].append(path)
            stem = without_ending(name)
            if stem != name:
                self._by_stem[key_of(stem)].append(path)

    def moved(self, old: str, new: str) -> "FolderNames":
        """The same after a move."""
        return FolderNames(after_move(path, old, new) for path in self.paths)

    def is_file(self, path: str) -> bool:
        """Whether a file is there."""
        return path in self._there

    def has(self, path: str) -> bool:
        """Whether a file, or a folder with one in it, is there."""
        if path in self._there:
            return True
        at = bisect_left(self.paths, f"{path}/")
        return at < len(self.paths) and self.paths[at].startswith(f"{path}/")

    def named_alike(self, path: str) -> Sequence[str]:
        """The files that a link by the name of this one may mean."""
        name = path.rpartition("/")[2]
        return sorted(
            {
                *self._by_name.get(key_of(name), ()),
                *self._by_stem.get(key_of(without_ending(name)), ()),
            }
        )

    def at_address(self, target: str, origin: str) -> str | None:
        """What an address in a text leads to: a file or folder; None for nothing that is there."""
        path = beside(origin, target)
        return path if path and self.has(path) else None

    def named(self, name: str, origin: str) -> str | None:
        """The file that a wiki link names, notes first, the nearest of several."""
        if name.startswith(("./", "../")):
            exact = beside(origin, name)
            found = [path for path in self._kinds(exact) if is_at(path, exact)] if exact else []
            return self._best(found, name, origin)
        return self._best([path for path in self._kinds(name) if ends_in(path, name)], name, origin)

    def _kinds(self, name: str) -> Sequence[str]:
        """The files of that name: notes, then by the whole name, then of any kind."""
        tail = key_of(name.rstrip("/").rpartition("/")[2])
        stems = self._by_stem.get(tail, [])
        notes = [path for path in stems if is_note(path)]
        return notes or self._by_name.get(tail, []) or stems

    def _best(self, found: Sequence[str], name: str, origin: str) -> str | None:
        folder = origin.rpartition("/")[0]
        tail = name.rpartition("/")[2]

        def rank(path: str) -> tuple[bool, bool, int, str]:
            is_elsewhere = path.rpartition("/")[0] != folder
            return tail not in path, is_elsewhere, path.count("/"), path

        return min(found, key=rank, default=None)


def is_at(path: str, wanted: str) -> bool:
    """Whether a file lies at a path, with or without its ending."""
    return key_of(wanted) in {key_of(path), key_of(without_ending(path))}


def ends_in(path: str, name: str) -> bool:
    """Whether the end of a path is what a link says."""
    end = "/" + key_of(name.strip("/"))
    return f"/{key_of(path)}".endswith(end) or f"/{key_of(without_ending(path))}".endswith(end)
