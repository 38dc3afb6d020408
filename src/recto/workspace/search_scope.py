"""Where a search looks: one folder or file, and names of a form.

ripgrep is never given a path or a form to look for: it would follow a link there, and pass over the
ignore files. It is told what to leave out, and what it finds is checked again.
"""

import os
import re
from dataclasses import dataclass, field

from recto.workspace.failures import PathNotFound, SearchRefused
from recto.workspace.jail import Jail
from recto.workspace.listing import is_utf8
from recto.workspace.wildmatch import IgnorePattern, translate

MAX_FORMS = 64
MAX_BESIDE = 2000  # of one folder; more are searched in vain, which is only slow
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
SPECIAL = re.compile(r"([*?\[\]{}!\\ #])")
SAFE_NAME = re.compile(r"[\w.*?-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class SearchScope:
    """A folder or file (a real path; empty is everything), and forms of ignore files."""

    path: str = ""
    forms: tuple[str, ...] = ()
    _lines: tuple[IgnorePattern, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        read = (translate(f"{form}**" if form.endswith("/") else form) for form in self.forms)
        object.__setattr__(self, "_lines", tuple(line for line in read if line))

    def has(self, path: str) -> bool:
        """Whether a file is looked at."""
        if self.path and path != self.path and not path.startswith(self.path + "/"):
            return False
        return not self._lines or any(fits(line, path) for line in self._lines)


def fits(line: IgnorePattern, path: str) -> bool:
    """Whether a form names this file; one that begins with "!" names all others."""
    return (re.search(line.expression, path, re.DOTALL) is not None) == line.ignores


def scope_of(jail: Jail, path: str, glob: str) -> SearchScope:
    """The scope of a path as people write it, and a form such as `*.{md,txt}`."""
    real = jail.real_path(path)
    if real:
        folder, _, name = real.rpartition("/")
        with jail.folder(folder) as fd:
            if not os.access(name, os.F_OK, dir_fd=fd, follow_symlinks=False):
                raise PathNotFound(path)
    return SearchScope(real, tuple(expand(glob)) if glob else ())


def expand(glob: str) -> list[str]:
    """A form with braces as several without. Raises SearchRefused."""
    todo, done = [glob], list[str]()
    while todo:
        form = todo.pop()
        found = BRACES.search(form)
        if found is None:
            done.append(form)
        else:
            before, after = form[: found.start()], form[found.end() :]
            todo += [before + item + after for item in reversed(found[1].split(","))]
        if len(todo) + len(done) > MAX_FORMS:
            raise SearchRefused("the form has too many alternatives")
    return done


def prunings(jail: Jail, scope: SearchScope) -> list[str]:
    """What ripgrep is told to leave out; most that is outside the scope."""
    globs = ["--glob=!/" + SPECIAL.sub(r"\\\1", path) for path in beside(jail, scope.path)]
    names = [form.rpartition("/")[2] for form in scope.forms]
    if names and all(SAFE_NAME.fullmatch(name) for name in names):
        globs += [f"--type-add=wanted:{name}" for name in names] + ["--type=wanted"]
    return globs


def beside(jail: Jail, path: str) -> list[str]:
    """What lies beside a path, in each folder on the way to it."""
    found: list[str] = []
    folder = ""
    for name in path.split("/") if path else ():
        prefix = folder + "/" if folder else ""
        with jail.folder(folder) as fd:
            others = [other for other in os.listdir(fd) if other != name and is_utf8(other)]
        if len(others) <= MAX_BESIDE:
            found += [prefix + other for other in others]
        folder = prefix + name
    return found
