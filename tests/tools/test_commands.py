"""A rule that allows a command lets nothing else through."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.tools.commands import allows, mentions, words
from recto.tools.patterns import like
from tests.examples import examples
from tests.tools.constructions import ALL, HARMLESS


def test_none_of_many_constructions_slips_through() -> None:
    assert len(set(ALL)) >= 400
    assert [command for command in ALL if allows("git status*", command)] == []
    assert [command for command in ALL if allows("git status *", command)] == []


@pytest.mark.parametrize("command", HARMLESS)
def test_the_command_itself_with_harmless_arguments_is_allowed(command: str) -> None:
    assert allows("git status*", command)
    assert allows("git status *", command)


@pytest.mark.parametrize(
    ("pattern", "command", "allowed"),
    [
        ("git status", "git status", True),
        ("git status", "git  'status'", True),
        ("git status", "git status -s", False),
        ("git log -c", "git log -c", True),
        ("make -f x", "make -f x", True),
        ("npm run *", "npm run test", True),
        ("npm run test*", "npm run test", True),
        ("npm run test*", "npm run test:evil", False),
        ("cat docs/*", "cat docs/a.md", True),
        ("cat docs/*", "cat docs/../.env", False),
        ("cat docs/*", "cat docs/a.md other", False),
        ("cat */a.md", "cat docs/a.md", True),
        ("cat */a.md", "cat docs/b.md", False),
        ("make*", "make SHELL=./x", False),
        ("make*", "make test", True),
        ("*", "ls -l", True),
        ("*", "ls; rm x", False),
        ("'unclosed", "'unclosed", False),
    ],
)
def test_a_pattern_is_about_words(pattern: str, command: str, *, allowed: bool) -> None:
    assert allows(pattern, command) is allowed


PLAIN = ("a", "-x", "b=1", "./c", "@", "%", "+", ",", ":", " ", "  ", "''", '""', "'d e'", '"f g"')
ODD = tuple("'\"\\$`!*?[]{}()<>|&;#~^\n\té") + ("'$x'", "'é'", '"$x"', '"!"', "$'a'", "{a,b}", "~a")
SHELLISH = st.lists(st.sampled_from(PLAIN) | st.sampled_from(ODD), max_size=8).map("".join)


@settings(
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(SHELLISH)
def test_words_are_the_shells_own(tmp_path: Path, text: str) -> None:
    """What is understood at all means to a shell exactly the words that we think."""
    understood = words(f"cmd {text}")
    if understood is None:
        return

    for shell in ("sh", "bash"):
        done = subprocess.run(
            [shell, "-c", f"cmd() {{ printf '<%s>' cmd \"$@\"; }}; cmd {text}"],
            cwd=tmp_path,
            env={"PATH": "/nowhere", "LC_ALL": "C.UTF-8"},
            executable=f"/bin/{shell}",
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode() == "".join(f"<{word}>" for word in understood)
        assert done.stderr == b""
    assert list(tmp_path.iterdir()) == []


@given(st.text(max_size=40))
def test_any_text_is_a_few_words_or_none(text: str) -> None:
    understood = words(text)
    assert understood is None or all("\n" not in word and "\0" not in word for word in understood)


@pytest.mark.parametrize(
    ("pattern", "command", "about"),
    [
        ("rm*", "rm -rf .", True),
        ("rm*", "ls && rm -rf .", True),
        ("rm*", "ls; (rm x)", True),
        ("rm*", "echo $(rm x)", True),
        ("rm*", "echo `rm x`", True),
        ("rm*", "'rm' x", True),
        ("rm*", "echo rm", False),
        ("git push*", "git  push origin", True),
        ("git push*", "git pull", False),
    ],
)
def test_a_rule_that_asks_looks_at_every_part(pattern: str, command: str, *, about: bool) -> None:
    assert mentions(pattern, command) is about


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("*", "", True),
        ("a*", "abc", True),
        ("*c", "abc", True),
        ("a*c", "ac", True),
        ("ab*bc", "abc", False),
        ("a*b*c", "a-b-c", True),
        ("a*b*c", "a-c-b", False),
        ("a**c", "abc", True),
        ("*a*a*", "a", False),
    ],
)
def test_a_star_stands_for_anything(pattern: str, text: str, *, fits: bool) -> None:
    assert like(pattern, text) is fits


def test_a_hostile_pattern_comes_to_an_end() -> None:
    assert not like("*a" * 2000 + "b", "a" * 100_000)
