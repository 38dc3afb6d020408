"""Which shell commands a rule is about. A rule may only allow what this module fully understands.

A command is understood when it is one simple command of plain words: no operators, expansions,
redirections, assignments, patterns, escapes or comments, in any shell. All else asks.
"""

import re

from recto.tools.command_options import are_tame
from recto.tools.patterns import like

WORD = re.compile(
    r"""(?: [A-Za-z0-9_./:=,@%+-]                    # letters that no shell treats as special
          | '[^'\x00-\x1f\x7f\ud800-\udfff]*'       # everything is literal
          | "[^"$`\\!\x00-\x1f\x7f\ud800-\udfff]*"  # nothing is left that expands
        )+""",
    re.VERBOSE,
)
QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\+?=")
OPERATORS = re.compile(r"[;&|\n\r(){}`<>]+|\$\(")


def words(command: str) -> tuple[str, ...] | None:
    """The words of one simple command, quotes taken off; None for everything else."""
    rest = command.strip(" ")
    found: list[str] = []
    while rest:
        word = WORD.match(rest)
        if word is None:
            return None
        found.append(QUOTED.sub(lambda quoted: quoted[1] or quoted[2] or "", word[0]))
        after = rest[word.end() :]
        rest = after.lstrip(" ")
        # No space between: "a"b is one word for a shell, but not for this reading.
        if rest and rest == after:
            return None
    if not found or not found[0] or ASSIGNMENT.match(command.lstrip(" ")):
        return None
    return tuple(found)


def allows(pattern: str, command: str) -> bool:
    """Whether a rule that allows this pattern is about this command.

    Without `*` it must be the same words. `git log*` and `git log *` are about that and whatever
    harmless arguments follow; any other `*` stands for a part of one word.
    """
    asked = words(command)
    if asked is None:
        return False
    if "*" not in pattern:
        return words(pattern) == asked
    wanted = pattern.split()
    further = wanted[-1] == "*" or bool(re.search(r"[A-Za-z0-9]\*$", wanted[-1]))
    if further:
        wanted = wanted[:-1] if wanted[-1] == "*" else [*wanted[:-1], wanted[-1][:-1]]
    if len(asked) < len(wanted) or (len(asked) > len(wanted) and not further):
        return False
    pairs = list(zip(wanted, asked, strict=False))
    if not all(word == form or ("*" in form and like(form, word)) for form, word in pairs):
        return False
    named = {place for place, (form, word) in enumerate(pairs) if form == word}
    return are_tame(asked, named)


def mentions(pattern: str, command: str) -> bool:
    """Whether a rule that asks or refuses is about this command, or about a part of it.

    Errs on the side of yes. It is no wall: a shell has endless ways to say a thing.
    """
    pieces = [command, *OPERATORS.split(command)]
    shown = (" ".join(words(piece) or piece.split()) for piece in pieces)
    return any(like(pattern, piece) for piece in shown)
