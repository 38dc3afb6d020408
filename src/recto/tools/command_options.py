"""What a rule with `*` may add to a command: options that can't make a program do something else.

Which ones, for each program, is in `data/command_options.json`. A program that is not in it gets
words, but no options. Those that run what they are given get nothing that the rule does not name.
"""

import re
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

import msgspec

FILE = Path(__file__).parent / "data" / "command_options.json"
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\+?=")


class ProgramOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a program, or of one of its subcommands."""

    letters: str = ""
    """Single letters, which may stand together behind one dash."""
    words: tuple[str, ...] = ()
    """Options that are whole words, with their dashes; `=value` may follow those with two."""
    bare_letters: bool = False
    """Whether its first word is letters without a dash, as tar takes them."""
    subcommands: dict[str, "ProgramOptions"] = {}
    """Its only subcommands that may be added; others must stand in the rule, and get nothing."""

    def admits(self, option: str) -> bool:
        """Whether an option is one of these."""
        if option.partition("=")[0] in self.words and option.startswith("--"):
            return True
        if option in self.words:
            return True
        return not option.startswith("--") and set(option[1:]) <= set(self.letters)


class CommandOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    runners: frozenset[str]
    """Programs that run, or interpret, words that they are given."""
    programs: dict[str, ProgramOptions]


@cache
def known_options() -> CommandOptions:
    """What is known of programs."""
    return msgspec.json.decode(FILE.read_bytes(), type=CommandOptions)


def are_tame(words: Sequence[str], named: Collection[int]) -> bool:
    """Whether all words of a command are harmless but those that the rule names, by place."""
    program = words[0].rpartition("/")[2]
    if program in known_options().runners:
        return len(named) == len(words)
    options = known_options().programs.get(program, ProgramOptions())
    if 0 not in named and not is_plain(words[0]):
        return False
    may_be_option, is_open = True, True
    for place, word in enumerate(words[1:], start=1):
        is_option = may_be_option and word.startswith("-") and word not in {"-", "--"}
        if place not in named:
            if not is_open or not is_plain(word):
                return False
            if is_option and not options.admits(word):
                return False
            is_cluster = place == 1 and options.bare_letters and not is_option
            if is_cluster and not set(word) <= set(options.letters):
                return False
            if options.subcommands and not is_option and word not in options.subcommands:
                return False
        if options.subcommands and not is_option:
            # A subcommand that only the rule knows: what could follow it, nobody does.
            is_open = word in options.subcommands
            options = options.subcommands.get(word, ProgramOptions())
        may_be_option = may_be_option and word != "--"
    return True


def is_plain(word: str) -> bool:
    """Whether a word is none of these: out of the folder, a variable, a file of arguments."""
    leaves = ".." in word.split("/")
    return not (leaves or ASSIGNMENT.match(word) or word.startswith(("@", "+")))
