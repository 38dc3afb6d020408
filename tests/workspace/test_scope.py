"""A search in one place, or among names of a form, still respects the ignore files."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recto.workspace import OutsideWorkspace, PathNotFound, SearchRefused, Workspace
from recto.workspace.search_scope import expand

pytestmark = pytest.mark.anyio

FILES = (
    "a.md", "a.txt", "src/a.ts", "src/a.tsx", "src/deep/a.ts", "src/node_modules/a.ts",
    "src/deep/ignored.ts", "other/a.ts", "odd [name] {x}/a.md",
    "odd [name] {x}/!b c .md", "#x/a.md",
)  # fmt: skip


@pytest.fixture
async def workspace(root: Path) -> AsyncIterator[Workspace]:
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("needle\n", encoding="utf-8")
    (root / ".gitignore").write_text("node_modules\nignored.ts\n", encoding="utf-8")
    async with await Workspace.open(root) as workspace:
        yield workspace


@pytest.mark.parametrize(
    ("path", "glob", "found"),
    [
        ("src", "", ["src/a.ts", "src/a.tsx", "src/deep/a.ts"]),
        ("src/deep", "", ["src/deep/a.ts"]),
        ("src/a.ts", "", ["src/a.ts"]),
        ("src/node_modules", "", []),
        ("odd [name] {x}", "", ["odd [name] {x}/!b c .md", "odd [name] {x}/a.md"]),
        ("odd [name] {x}/!b c .md", "", ["odd [name] {x}/!b c .md"]),
        ("#x", "", ["#x/a.md"]),
        ("", "*.txt", ["a.txt"]),
        ("", "*.{ts,tsx}", ["other/a.ts", "src/a.ts", "src/a.tsx", "src/deep/a.ts"]),
        ("", "src/**/*.ts", ["src/a.ts", "src/deep/a.ts"]),
        ("", "src/deep/", ["src/deep/a.ts"]),
        ("src", "*.tsx", ["src/a.tsx"]),
        ("", "[!a].txt", []),
        ("", "/a.*", ["a.md", "a.txt"]),
        ("", "node_modules/**", []),
        ("", "!*.ts*", ["#x/a.md", "a.md", "a.txt", "odd [name] {x}/!b c .md",
                        "odd [name] {x}/a.md"]),
    ],
)  # fmt: skip
async def test_only_what_is_in_the_scope_and_not_ignored_is_found(
    workspace: Workspace, path: str, glob: str, found: list[str]
) -> None:
    result = await workspace.search("needle", path=path, glob=glob)

    assert [match.path for match in result.matches] == found
    assert not result.truncated


async def test_a_link_in_the_scope_means_what_it_leads_to(workspace: Workspace, root: Path) -> None:
    (root / "link").symlink_to("src/deep")

    found = await workspace.search("needle", path="link")

    assert [match.path for match in found.matches] == ["src/deep/a.ts"]


async def test_a_scope_outside_or_nowhere_is_refused(workspace: Workspace, root: Path) -> None:
    (root / "out").symlink_to("..")

    with pytest.raises(OutsideWorkspace):
        await workspace.search("needle", path="out")
    with pytest.raises(PathNotFound):
        await workspace.search("needle", path="nowhere")
    with pytest.raises(PathNotFound):
        await workspace.search("needle", path="no/where")


def test_braces_stand_for_alternatives_but_not_for_too_many() -> None:
    assert expand("{a,b}.{c,d}") == ["a.c", "a.d", "b.c", "b.d"]
    assert expand("plain{") == ["plain{"]
    with pytest.raises(SearchRefused):
        expand("{a,b}" * 30)
