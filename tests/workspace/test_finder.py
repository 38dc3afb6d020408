"""A few letters find the file that was meant."""

from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.workspace.finder import NameMatch, index_names, match_names, read_names
from recto.workspace.ignore import IgnoreLookup, IgnoreRules
from recto.workspace.jail import Jail

PATHS = (
    "src/recto/workspace/jail.py",
    "src/recto/workspace/__init__.py",
    "src/recto/storage/migrations/jump_available.py",
    "docs/jailbreaks.md",
    "tests/workspace/test_jail.py",
    "README.md",
    "web/src/editor/FileTree.svelte",
    "web/src/editor/filter.ts",
)


def best(query: str, limit: int = 3) -> list[str]:
    return [match.path for match in match_names(query, index_names(PATHS), limit)]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("jail", "src/recto/workspace/jail.py"),
        ("jail.py", "src/recto/workspace/jail.py"),
        ("testjail", "tests/workspace/test_jail.py"),
        ("wsinit", "src/recto/workspace/__init__.py"),
        ("readme", "README.md"),
        ("fitree", "web/src/editor/FileTree.svelte"),
        ("File Tree", "web/src/editor/FileTree.svelte"),
        ("docs/ja", "docs/jailbreaks.md"),
        ("JUMP", "src/recto/storage/migrations/jump_available.py"),
    ],
)
def test_the_file_that_was_meant_comes_first(query: str, path: str) -> None:
    assert best(query)[0] == path


def test_positions_say_which_letters_matched() -> None:
    names = index_names(["a/FileTree.svelte"])

    assert match_names("ft", names, 1) == (NameMatch("a/FileTree.svelte", (2, 6)),)
    assert match_names("tree", names, 1) == (NameMatch("a/FileTree.svelte", (6, 7, 8, 9)),)


def test_without_a_query_the_nearest_files_come() -> None:
    assert best("", 2) == ["README.md", "docs/jailbreaks.md"]
    assert best("  ", 1) == ["README.md"]


@given(
    st.lists(st.text("ab-./0é😀", min_size=1, max_size=6), max_size=30),
    st.text("ab-./0é", max_size=4),
)
def test_what_lies_in_a_folder_is_what_begins_with_it(paths: list[str], folder: str) -> None:
    names = index_names(paths)
    inside = names.inside(folder)
    expected = [path for path in names.paths if not folder or path.startswith(f"{folder}/")]
    assert list(inside.paths) == expected
    assert inside.lowered == index_names(expected).lowered


def test_what_does_not_match_is_not_offered() -> None:
    assert best("zzz") == []


@given(st.text(max_size=6), st.lists(st.text(min_size=1, max_size=12), max_size=8))
def test_positions_spell_the_query_in_order(query: str, paths: list[str]) -> None:
    for match in match_names(query, index_names(paths), 10):
        letters = [match.path[place].lower() for place in match.positions]
        assert "".join(letters) == "".join(query.split()).lower()
        assert list(match.positions) == sorted(set(match.positions))


def contains(path: str, letters: str) -> bool:
    rest = iter(path)
    return all(letter in rest for letter in letters)


@pytest.mark.slow
@pytest.mark.parametrize("query", ["a", "component", "cmpbtn", "srcwidgets42", "zzzzqqq"])
def test_the_best_of_a_hundred_thousand_names_are_found(query: str) -> None:
    names = index_names(
        [f"src/part{n % 97}/widgets{n % 1009}/component_{n}_button.tsx" for n in range(100_000)]
    )
    found = match_names(query, names, 50)

    assert len(found) == (0 if query == "zzzzqqq" else 50)
    assert all(contains(match.path, query) for match in found)


@pytest.mark.anyio
async def test_the_names_of_all_files_that_are_not_ignored(root: Path) -> None:
    (root / "sub").mkdir()
    (root / ".git").mkdir()
    (root / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (root / ".rectoignore").write_text("sub/private/\n", encoding="utf-8")
    (root / "sub" / "private").mkdir()
    for name in ("b.md", "sub/a.md", "x.log", ".env", "sub/private/c.md", ".git/HEAD"):
        (root / name).write_bytes(b"")
    (root / "link").symlink_to("/etc/passwd")
    jail = Jail(root)

    with anyio.fail_after(60):
        names = await read_names(jail, IgnoreLookup(IgnoreRules(jail)))
        few = await read_names(jail, IgnoreLookup(IgnoreRules(jail)), max_names=1)

    assert (names.paths, names.truncated) == (
        (".gitignore", ".rectoignore", "b.md", "sub/a.md"),
        False,
    )
    assert (len(few.paths) <= 1, few.truncated) == (True, True)
    jail.close()
