"""Which paths are accepted, judged by their letters alone.

Paths are relative, with "/" between names, and mean exactly those names: nothing is normalised.
"""

import unicodedata

from recto.durable import TEMPORARY_PREFIX
from recto.workspace.failures import NameRefused, PathProtected

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4096
# git~1 is what Windows may call .git
PROTECTED_NAMES = frozenset({".git", ".recto", "git~1"})


def split(path: str) -> tuple[str, ...]:
    """The names of a path; the root is the empty path. Raises NameRefused."""
    if path == "":
        return ()
    check_whole(path)
    parts = tuple(path.split("/"))
    for name in parts:
        check_name(path, name)
    return parts


def check_whole(path: str) -> None:
    """Refuse what is wrong with a path before it is taken apart."""
    try:
        encoded = path.encode("utf-8")
    except UnicodeEncodeError:
        raise NameRefused(path, "it is not valid Unicode") from None
    if len(encoded) > MAX_PATH_BYTES:
        raise NameRefused(path, "it is too long")
    if "\0" in path:
        raise NameRefused(path, "it has a zero byte")
    if path.startswith("/"):
        raise NameRefused(path, "it is absolute")


def check_name(path: str, name: str) -> None:
    """Refuse one name of a path."""
    if name in {"", "."}:
        raise NameRefused(path, "it has an empty part")
    if name == "..":
        raise NameRefused(path, "it goes up with ..")
    if len(name.encode("utf-8")) > MAX_NAME_BYTES:
        raise NameRefused(path, f"a name has more than {MAX_NAME_BYTES} bytes")


def check_new(path: str) -> tuple[str, ...]:
    """The names of a path that may be given to something new. Raises NameRefused, PathProtected."""
    parts = check_writable(path)
    for name in parts:
        if any(unicodedata.category(letter) in {"Cc", "Zl", "Zp"} for letter in name):
            raise NameRefused(path, "it has control characters")
        if name.startswith(TEMPORARY_PREFIX):
            raise NameRefused(path, f"names that start with {TEMPORARY_PREFIX} are Recto's own")
    return parts


def check_writable(path: str) -> tuple[str, ...]:
    """The names of a path that may be changed. Raises NameRefused, PathProtected."""
    parts = split(path)
    if not parts:
        raise NameRefused(path, "it is the folder itself")
    if any(is_protected(name) for name in parts):
        raise PathProtected(path)
    return parts


def is_protected(name: str) -> bool:
    """Whether some file system could take this name for git's or Recto's own folder.

    Covers case, Unicode forms, invisible letters (macOS skips them), trailing dots and spaces, and
    stream suffixes (Windows drops them).
    """
    return plain(name) in PROTECTED_NAMES


def plain(name: str) -> str:
    """A name as the most forgiving file system compares it."""
    if name.isascii():  # it has no other forms, and folders hold many of them
        folded = name.lower()
    else:
        visible = "".join(letter for letter in name if unicodedata.category(letter) != "Cf")
        folded = unicodedata.normalize("NFKC", visible).casefold()
    return folded.partition(":")[0].rstrip(". ")
