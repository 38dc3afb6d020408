"""Searching text: what is found, what is left out, and where it stops."""

import os
from pathlib import Path

import anyio
import pytest

from recto.workspace.failures import RootGone, SearchRefused, SearchUnavailable
from recto.workspace.ignore import IgnoreLookup, IgnoreRules
from recto.workspace.jail import Jail
from recto.workspace.search import SearchLimits, SearchMatch, SearchResult, search

pytestmark = pytest.mark.anyio


@pytest.fixture
def jail(root: Path) -> Jail:
    return Jail(root)


async def find(
    jail: Jail,
    query: str,
    *,
    regex: bool = False,
    case_sensitive: bool = False,
    limits: SearchLimits | None = None,
) -> SearchResult:
    rules = IgnoreLookup(IgnoreRules(jail))
    with anyio.fail_after(60):
        return await search(
            jail, rules, query, regex=regex, case_sensitive=case_sensitive, limits=limits
        )


async def test_lines_are_found_with_the_places_of_each_match(jail: Jail, root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "notes.md").write_text("one\r\n  é Two, two\n", encoding="utf-8")
    (root / "a.md").write_text("TWO", encoding="utf-8")

    assert await find(jail, "two") == SearchResult(
        (
            SearchMatch("a.md", 1, 1, "TWO", ((0, 3),)),
            SearchMatch("sub/notes.md", 2, 5, "  é Two, two", ((4, 7), (9, 12))),
        ),
        truncated=False,
    )


async def test_case_counts_when_asked(jail: Jail, root: Path) -> None:
    (root / "a.md").write_text("Two two", encoding="utf-8")

    found = await find(jail, "two", case_sensitive=True)

    assert [match.ranges for match in found.matches] == [((4, 7),)]


async def test_a_literal_is_literal_and_a_regex_is_one(jail: Jail, root: Path) -> None:
    (root / "a.md").write_text("f(x) = .*\nfox\n--pre=sh\n", encoding="utf-8")

    literal = await find(jail, "f(x) = .*")
    expression = await find(jail, "^f.x$", regex=True)
    option = await find(jail, "--pre=sh")

    assert [match.line for match in literal.matches] == [1]
    assert [match.line for match in expression.matches] == [2]
    assert [match.line for match in option.matches] == [3]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("(", "unclosed group"),
        ("a{99999999}", "exceed"),
        (r"(?=x)", "look"),
        ("", "1 to 1000"),
        ("a" * 1001, "1 to 1000"),
        ("a\nb", "one line"),
        ("a\0b", "one line"),
        ("\ud800", "valid Unicode"),
    ],
)
async def test_a_pattern_that_can_not_run_is_refused_with_the_reason(
    jail: Jail, query: str, reason: str
) -> None:
    with pytest.raises(SearchRefused, match=reason):
        await find(jail, query, regex=True)


async def test_ignored_files_secrets_and_git_are_left_out(jail: Jail, root: Path) -> None:
    for folder in ("sub", "node_modules", ".git"):
        (root / folder).mkdir()
    (root / ".gitignore").write_text("node_modules/\n", encoding="utf-8")
    (root / ".ignore").write_text("ignored.md\n", encoding="utf-8")
    (root / "sub" / ".rectoignore").write_text("private.md\n", encoding="utf-8")
    names = [
        "seen.md",
        ".hidden.md",
        "ignored.md",
        ".env",
        "tls.key",
        "sub/private.md",
        "sub/seen.md",
        "node_modules/x.md",
        ".git/config",
        ".recto-tmp-01",
    ]
    for name in names:
        (root / name).write_text("needle", encoding="utf-8")

    found = await find(jail, "needle")

    assert [match.path for match in found.matches] == [".hidden.md", "seen.md", "sub/seen.md"]


async def test_links_are_not_followed(jail: Jail, root: Path) -> None:
    (root.parent / "outside.md").write_text("needle", encoding="utf-8")
    (root / "file").symlink_to("../outside.md")
    (root / "folder").symlink_to("..")

    assert await find(jail, "needle") == SearchResult((), truncated=False)


async def test_a_config_file_does_not_count(
    jail: Jail, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".ripgreprc").write_text("--files\n", encoding="utf-8")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(root / ".ripgreprc"))

    assert await find(jail, "needle") == SearchResult((), truncated=False)


async def test_too_many_matches_are_cut_and_said_so(jail: Jail, root: Path) -> None:
    (root / "a.md").write_text("needle\n" * 100_000, encoding="utf-8")

    found = await find(jail, "needle", limits=SearchLimits(max_matches=10))

    assert (len(found.matches), found.truncated) == (10, True)


async def test_exactly_as_many_as_allowed_are_not_cut(jail: Jail, root: Path) -> None:
    (root / "a.md").write_text("needle\n" * 10, encoding="utf-8")

    found = await find(jail, "needle", limits=SearchLimits(max_matches=10))

    assert (len(found.matches), found.truncated) == (10, False)


async def test_a_long_line_is_shown_around_its_first_match(jail: Jail, root: Path) -> None:
    (root / "a.md").write_text("é" * 1000 + "needle" + "é" * 1000, encoding="utf-8")

    found = await find(jail, "needle", limits=SearchLimits(max_line=200))

    text = "é" * 50 + "needle" + "é" * 47
    assert found.matches == (SearchMatch("a.md", 1, 1001, text, ((50, 56),)),)


async def test_a_huge_line_is_left_out_and_said_so(jail: Jail, root: Path) -> None:
    (root / "huge.md").write_text("needle " * 1_300_000, encoding="utf-8")
    (root / "small.md").write_text("needle", encoding="utf-8")

    found = await find(jail, "needle", limits=SearchLimits(max_bytes=10**10, deadline_s=15))

    assert ([match.path for match in found.matches], found.truncated) == (["small.md"], True)


async def test_a_search_that_takes_too_long_answers_what_it_has(jail: Jail, root: Path) -> None:
    (root / "a.md").write_text("needle", encoding="utf-8")

    assert await find(jail, "needle", limits=SearchLimits(deadline_s=0)) == SearchResult((), True)


async def test_too_much_output_ends_the_search(jail: Jail, root: Path) -> None:
    (root / "a.md").write_text("needle\n" * 100_000, encoding="utf-8")

    found = await find(jail, "needle", limits=SearchLimits(max_matches=10**6, max_bytes=100_000))

    assert found.truncated
    assert 0 < len(found.matches) < 10_000


async def test_bytes_that_are_not_utf_8_are_shown_as_such(jail: Jail, root: Path) -> None:
    (root / "latin").write_bytes(b"caf\xe9 needle\n")
    (root / "utf16").write_bytes("\ufeffthe needle".encode("utf-16-le"))

    assert (await find(jail, "needle")).matches == (
        SearchMatch("latin", 1, 6, "caf\ufffd needle", ((5, 11),)),
        SearchMatch("utf16", 1, 5, "the needle", ((4, 10),)),
    )


async def test_a_missing_search_program_is_said_to_be_missing(
    jail: Jail, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))

    with pytest.raises(SearchUnavailable, match="rg was not found"):
        await find(jail, "needle")


async def test_a_folder_that_is_gone_is_not_searched(jail: Jail, root: Path) -> None:
    os.rename(root, root.parent / "elsewhere")

    with pytest.raises(RootGone):
        await find(jail, "needle")
