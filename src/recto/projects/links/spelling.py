"""How a link is spelled that leads to another place now: as it was, as far as that goes."""

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import quote

from recto.projects.links.folder_names import FolderNames, is_note, without_ending
from recto.projects.links.markdown_links import TextLink

NOT_IN_WIKI = re.compile(r"[\[\]|#^\n]")
NOT_IN_YAML = re.compile(r"""["'\\]""")
"""What would end a text in the front matter, or mean something else there."""
ENCODED_LETTER = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")
PLAIN = "/!$'*+,;=@~"
"""What stands in an address as it is, besides letters and digits."""


def meant(link: TextLink, origin: str, names: FolderNames) -> str | None:
    """What a link in a text leads to."""
    if link.kind == "wiki":
        return names.named(link.target, origin)
    return names.at_address(link.target, origin)


def spelled(link: TextLink, target: str, origin: str, names: FolderNames) -> str | None:
    """The words for a link that lead to a target; None when there are none."""
    spellings = wiki_spellings if link.kind == "wiki" else address_spellings
    for raw in spellings(link, target, origin):
        if link.in_head and NOT_IN_YAML.search(raw):
            continue
        changed = TextLink(link.kind, 0, 0, raw, 0)
        if meant(changed, origin, names) == target:
            return raw
    return None


def wiki_spellings(link: TextLink, target: str, origin: str) -> Iterator[str]:
    """Names of a file, the one most like the old one first."""
    has_ending = without_ending(link.target) != link.target and not link.target.endswith("/")
    path = target
    # A note is named without its ending, unless it was named with one; another file with it.
    if not has_ending or (is_note(target) and not is_note(link.target)):
        path = without_ending(target)
    parts = path.split("/")
    if NOT_IN_WIKI.search(path) or path != path.strip():
        return
    if link.target.startswith(("./", "../")):
        yield relative(path, origin, dotted=link.target.startswith("./"))
    least = link.target.strip("/").count("/") + 1
    for many in (*range(min(least, len(parts)), len(parts) + 1), len(parts)):
        yield "/".join(parts[-many:])
    if path != target:
        yield target


def address_spellings(link: TextLink, target: str, origin: str) -> Iterator[str]:
    """Relative paths to a file, encoded as the old one was."""
    path = relative(target, origin, dotted=link.raw.startswith("./"))
    if link.raw.endswith("/"):
        path += "/"
    if link.kind == "bracketed" and not re.search(r"[<>\n\\%?#&]", path):
        yield path
        return
    if ENCODED_LETTER.search(link.raw):
        yield quote(path, safe=PLAIN)
        return
    yield "".join(letter if not letter.isascii() else quote(letter, safe=PLAIN) for letter in path)


def relative(path: str, origin: str, *, dotted: bool) -> str:
    """A path as seen from a text."""
    found = posixpath.relpath(path, posixpath.dirname(origin) or ".")
    return f"./{found}" if dotted and not found.startswith("../") else found
