"""One level of a folder, as the file tree shows it."""

import os
import re
from dataclasses import dataclass
from typing import Literal

from recto.durable import TEMPORARY_PREFIX
from recto.workspace.failures import reading_failure
from recto.workspace.ignore import FolderRules, IgnoreRules
from recto.workspace.jail import Jail

Kind = Literal["file", "folder", "link", "other"]
DIGITS = re.compile("([0-9]+)")


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One thing in a folder. `path` is None when the name is not UTF-8: it can't be opened.

    `modified_ms` is None when the system does not tell.
    """

    name: str
    path: str | None
    kind: Kind
    size: int | None
    modified_ms: int | None
    ignored: bool


def list_folder(jail: Jail, rules: IgnoreRules, path: str) -> tuple[FolderEntry, ...]:
    """What is directly in a folder: folders first, each in natural order.

    Left out: git's own folder, and files that Recto is just writing.
    """
    prefix = path + "/" if path else ""
    with jail.folder(path) as fd:
        here = rules.in_folder(path)
        try:
            with os.scandir(fd) as found:
                shown = (describe(entry, prefix, here) for entry in found if is_shown(entry.name))
                entries = [entry for entry in shown if entry]
        except OSError as error:
            raise reading_failure(error, path) from error
    return tuple(sorted(entries, key=order))


def is_shown(name: str) -> bool:
    """Whether the tree shows a name at all."""
    return name != ".git" and not name.startswith(TEMPORARY_PREFIX)


def describe(entry: os.DirEntry[str], prefix: str, rules: FolderRules) -> FolderEntry | None:
    """What the tree says about one thing; None when it vanished meanwhile."""
    kind = kind_of(entry)
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        status = None
    name = entry.name
    ignored = rules.ignores(name, folder=kind == "folder")
    size = status.st_size if status and kind == "file" else None
    modified_ms = status.st_mtime_ns // 1_000_000 if status else None
    if is_utf8(name):
        return FolderEntry(name, prefix + name, kind, size, modified_ms, ignored)
    return FolderEntry(
        os.fsencode(name).decode("utf-8", "replace"), None, kind, size, modified_ms, ignored
    )


def kind_of(entry: os.DirEntry[str]) -> Kind:
    """What sort of thing it is, links not followed."""
    if entry.is_file(follow_symlinks=False):
        return "file"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "link" if entry.is_symlink() else "other"


def is_utf8(name: str) -> bool:
    """Whether the system's bytes were UTF-8; Python keeps others as lone surrogates."""
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def order(entry: FolderEntry) -> str:
    """Folders first; then letters without case, numbers by value; then exactly."""
    return f"{entry.kind != 'folder':d}{natural(entry.name)}\0{entry.name}"


def natural(name: str) -> str:
    """A name as it sorts: file2 before file10, because each number begins with its length."""
    parts = DIGITS.split(name.casefold())
    for place in range(1, len(parts), 2):
        number = parts[place].lstrip("0")
        parts[place] = f"{len(number):03}{number}"
    return "".join(parts)
