"""Lines of ignore files as regular expressions, with git's meaning.

Written here because the lines may be hostile: every wildcard settles for the first place that fits
(atomic groups), so matching time stays proportional to the name, where the usual translations take
for ever on `*a*a*a*a*b`. One difference from git: a character is a letter, not a byte.
"""

import re
from dataclasses import dataclass

CLASSES = {
    "alnum": "A-Za-z0-9",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "A-Fa-f0-9",
}
IN_NAME = "[^/]*"
FOLDERS = "(?:[^/]+/)*"
NEVER = "(?!)"
ANYWHERE = r"(?:\A|/)"
FROM_THE_TOP = r"\A"


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line: the expression to search in a path, and what a hit means."""

    expression: str
    ignores: bool
    folders_only: bool


def translate(line: str) -> IgnorePattern | None:
    """Read one line of an ignore file; None for blank lines and comments."""
    line = trim(line)
    if not line or line.startswith("#"):
        return None
    ignores = not line.startswith("!")
    pattern = line if ignores else line[1:]
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    start = FROM_THE_TOP if "/" in pattern else ANYWHERE
    body = Translation(pattern).text if pattern.strip("/") else NEVER
    return IgnorePattern(start + body + r"\Z", ignores, folders_only)


def trim(line: str) -> str:
    """A line without its trailing spaces; an escaped space stays."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if escapes % 2 and len(bare) < len(line) else bare


class Translation:
    """One pattern on its way to an expression.

    The expression so far has two parts: what is settled, and the run since the last wildcard, which
    is settled with that wildcard once the next one comes.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern.removeprefix("/")
        self._with_folders = "/" in pattern
        self._at = 0
        self._groups: list[str] = []  # what follows each "**/", the first follows the start
        self._settled = ""
        self._star = False
        self._run = ""
        self.text = self._translate()

    def _translate(self) -> str:
        while self._at < len(self._pattern):
            if not self._step():
                return NEVER
        last = self._settled + (IN_NAME if self._star else "") + self._run
        first, *more = [*self._groups, last]
        if not more:
            return first
        middle = "".join(f"(?>(?:[^/]+/)*?{group})" for group in more[:-1])
        return f"{first}{middle}{FOLDERS}{more[-1]}"

    def _step(self) -> bool:
        """Take the next piece of the pattern; False when the pattern can match nothing."""
        letter = self._pattern[self._at]
        self._at += 1
        match letter:
            case "*":
                self._on_star()
            case "?":
                self._run += "[^/]"
            case "[":
                return self._on_class()
            case "\\":
                if self._at == len(self._pattern):
                    return False
                self._run += re.escape(self._pattern[self._at])
                self._at += 1
            case _:
                self._run += re.escape(letter)
        return True

    def _on_star(self) -> None:
        start = self._at - 1
        while self._pattern[self._at : self._at + 1] == "*":
            self._at += 1
        rest = self._pattern[self._at :]
        many = self._at - start > 1 and (start == 0 or self._pattern[start - 1] == "/")
        if many and rest.startswith("/"):
            self._at += 1
            self._settle()
            self._groups.append(self._settled)
            self._settled, self._star = "", False
        elif many and not rest and self._with_folders:
            self._run += ".+"
        else:
            self._settle()
            self._star = True

    def _settle(self) -> None:
        """The run is complete: put it behind its wildcard, at the first place that fits."""
        self._settled += f"(?>[^/]*?{self._run})" if self._star else self._run
        self._run = ""

    def _on_class(self) -> bool:
        """Read a set such as [a-z]; False when it does not end or names an unknown class."""
        negated = self._pattern[self._at : self._at + 1] in {"!", "^"}
        self._at += negated
        items = ""
        first = self._at
        while True:
            letter = self._letter()
            if letter is None:
                return False
            if letter == "]" and self._at - 1 > first:
                break
            item = self._item(letter)
            if item is None:
                return False
            items += item
        self._run += f"(?!/)[{'^' if negated else ''}{items}]"
        return True

    def _letter(self) -> str | None:
        letter = self._pattern[self._at : self._at + 1]
        self._at += 1
        return letter or None

    def _item(self, letter: str) -> str | None:
        """One letter, range or named class of a set; None when it is broken."""
        if letter == "[" and self._pattern.startswith(":", self._at):
            end = self._pattern.find("]", self._at + 1)
            if end > 0 and self._pattern[end - 1] == ":" and end - 1 > self._at:
                name = self._pattern[self._at + 1 : end - 1]
                self._at = end + 1
                return CLASSES.get(name)
        low = self._letter() if letter == "\\" else letter
        if low is None:
            return None
        ahead = self._pattern[self._at : self._at + 2]
        if not (len(ahead) == 2 and ahead[0] == "-" and ahead[1] != "]"):
            return re.escape(low)
        self._at += 1
        high = self._letter()
        if high == "\\":
            high = self._letter()
        if high is None:
            return None
        # As in git, where a range begins is part of the set even when the range runs backwards.
        return f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low)
