"""How a folder wants its texts indented: its `.editorconfig` files, the nearest one counts most.

They may be hostile: only so much is read, and forms are matched as those of ignore files are.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recto.workspace.failures import SearchRefused
from recto.workspace.search_scope import expand, fits
from recto.workspace.wildmatch import translate

NAME = ".editorconfig"
MOST_CHARACTERS = 64_000
MOST_FORMS = 500
"""Of all files together: nobody who says more is followed."""
LONGEST_FORM = 300
WIDEST = 16
RANGE = re.compile(r"\{(\d{1,3})\.\.(\d{1,3})\}")
KEYS = frozenset({"indent_style", "indent_size", "tab_width"})


@dataclass(frozen=True, slots=True)
class Section:
    """What is said of the files that fit one of the forms."""

    forms: tuple[str, ...]
    said: Mapping[str, str]

    def is_about(self, path: str) -> bool:
        """Whether a path, seen from the file's own folder, fits."""
        lines = (translate(form) for form in self.forms)
        return any(line is not None and fits(line, path) for line in lines)


def places(path: str) -> list[str]:
    """Where files may be that speak about a path: beside it first, then further up."""
    folders = path.split("/")[:-1]
    return ["/".join([*folders[:depth], NAME]) for depth in range(len(folders), -1, -1)]


def wanted_indentation(path: str, texts: Sequence[tuple[str, str]]) -> str | None:
    """One step of indentation; None when nobody says. `texts` are files and what they say."""
    heard: list[tuple[str, str]] = []
    for place, text in texts:
        heard.append((place, text))
        if is_root(text):
            break
    said: dict[str, str] = {}
    left = MOST_FORMS
    for place, text in reversed(heard):
        inside = path[len(place) - len(NAME) :]
        for section in sections_of(text):
            left -= max(1, len(section.forms))
            if left < 0:
                return None
            if section.is_about(inside):
                said |= section.said
    return step_of(said)


def step_of(said: Mapping[str, str]) -> str | None:
    """One step, of what is said in the end."""
    if said.get("indent_style") == "tab":
        return "\t"
    size = said.get("indent_size", "tab")
    width = said.get("tab_width", "") if size == "tab" else size
    if said.get("indent_style") != "space" or not re.fullmatch(r"[0-9]{1,2}", width):
        return None
    return " " * int(width) if 1 <= int(width) <= WIDEST else None


def is_root(text: str) -> bool:
    """Whether nothing further up counts."""
    for line in text[:MOST_CHARACTERS].splitlines():
        if line.lstrip().startswith("["):
            return False
        if pair_of(line) == ("root", "true"):
            return True
    return False


def sections_of(text: str) -> Iterator[Section]:
    """The sections in order; lines that nobody understands are passed over."""
    form, said = "", dict[str, str]()
    for line in text[:MOST_CHARACTERS].splitlines():
        bare = line.strip()
        if bare.startswith("[") and bare.endswith("]"):
            if form:
                yield Section(forms_of(form), said)
            form, said = bare[1:-1], {}
        elif (pair := pair_of(line)) is not None and pair[0] in KEYS:
            said[pair[0]] = pair[1]
    if form:
        yield Section(forms_of(form), said)


def pair_of(line: str) -> tuple[str, str] | None:
    """A key and its value, in small letters."""
    if line.lstrip().startswith(("#", ";")):
        return None
    key, is_pair, value = line.partition("=")
    return (key.strip().lower(), value.strip().lower()) if is_pair else None


def forms_of(form: str) -> tuple[str, ...]:
    """A form as several that ignore files could hold; none when it has too many alternatives."""
    if len(form) > LONGEST_FORM:
        return ()
    spread = RANGE.sub(numbers, form)
    try:
        forms = expand(spread)
    except SearchRefused:
        return ()
    # Elsewhere these signs have a meaning at the beginning; `**` crosses folders anywhere here.
    plain = (re.sub(r"^[!#]", r"\\\g<0>", item) for item in forms)
    return tuple(re.sub(r"\*\*(?=[^/])", "**/*", item) for item in plain)


def numbers(found: re.Match[str]) -> str:
    """The numbers of `{1..3}` as alternatives."""
    first, last = sorted((int(found[1]), int(found[2])))
    return "{" + ",".join(map(str, range(first, last + 1))) + "}"
