"""Ignore files mean what git means by them, and more where Recto adds to them."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.workspace.ignore import IgnoreRules
from recto.workspace.jail import Jail
from tests.examples import examples

TREE = (
    "a.txt", "a.log", "b.md", "build/out.o", "build/keep.txt", "src/a.txt", "src/build/x.o",
    "src/deep/a.log", "src/deep/b.txt", "docs/a/b/c.txt", "docs/a/x.log", "foo/bar/baz", "foo/x",
    "space name/a b.txt", "#hash", "!bang", "[x]", "back\\slash",  "x/y/z/w", "a/a/a",
)  # fmt: skip
CORPUS = (
    "*.log", "build", "build/", "/build", "/build/", "src/build", "src/*", "src/**", "**/build",
    "docs/**/c.txt", "docs/*/c.txt", "a/**", "**", "*", "!a.txt", "!src/", "!src/deep", "foo/*",
    "!foo/bar", "\\#hash", "\\!bang", "[a-b].txt", "[b-a].txt", "[!b-a].txt",
    "[!a].txt", "\\[x\\]", "?.md", "a", "/a", "a/a",
    "*.txt ", "*.txt\\ ", "# comment", "", "!", "/", "//", "a//b", "***", "a**", "**a", "x/**/w",
    "x/**/", "*/", "*/*", "!*/", "*.o\t",  "space name/", "back\\\\slash", "[", "[]", "a\\",
    "foo/**/baz", "**/", "/**", "/*", "!/*/", "/**/x", "d*s/a", "[[:alpha:]].txt", "a.[lt]*", "[a-",
)  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ignore")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for name in TREE:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"")
    return root


def everything(root: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        here = os.path.relpath(folder, root)
        prefix = "" if here == "." else here + "/"
        yield from (prefix + name + "/" for name in folders)
        yield from (prefix + name for name in files)


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull}
    answer = subprocess.run(
        ["git", "check-ignore", "-z", "--stdin", "--no-index"],
        cwd=root,
        env=environment,
        input="\0".join(path.rstrip("/") for path in paths).encode(),
        capture_output=True,
        check=False,
    )
    return set(answer.stdout.decode().split("\0")) - {""}


def ignored_by_us(root: Path, paths: list[str]) -> set[str]:
    jail = Jail(root)
    rules = IgnoreRules(jail)
    found: set[str] = set()
    for path in paths:
        parent, _, name = path.rstrip("/").rpartition("/")
        if rules.in_folder(parent).ignores(name, folder=path.endswith("/")):
            found.add(path.rstrip("/"))
    jail.close()
    return found


def compare(root: Path, files: dict[str, list[str]]) -> None:
    paths = list(everything(root))
    for name, lines in files.items():
        (root / name).write_text("\n".join(lines), encoding="utf-8")
    try:
        assert ignored_by_us(root, paths) == ignored_by_git(root, paths)
    finally:
        for name in files:
            (root / name).unlink()


@pytest.mark.parametrize("line", CORPUS)
def test_a_line_means_what_it_means_to_git(repository: Path, line: str) -> None:
    compare(repository, {".gitignore": [line]})


@settings(
    max_examples=examples(20),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.sampled_from(CORPUS), min_size=2, max_size=6),
    st.lists(st.sampled_from(CORPUS), max_size=3),
)
def test_lines_together_and_in_deeper_folders_mean_what_they_mean_to_git(
    repository: Path, top: list[str], deeper: list[str]
) -> None:
    compare(repository, {".gitignore": top, "src/.gitignore": deeper})


@settings(
    max_examples=examples(50),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.text(alphabet="abx.*?[]!^/\\\\-# ", max_size=8), min_size=1, max_size=3))
def test_any_lines_mean_what_they_mean_to_git(repository: Path, lines: list[str]) -> None:
    compare(repository, {".gitignore": lines})


@pytest.mark.parametrize("line", ["*a" * 60 + "b", "**/a*" * 40 + "/b", "[a-z]*" * 60 + "!"])
def test_a_hostile_line_comes_to_an_end(repository: Path, line: str) -> None:
    jail = Jail(repository)
    (repository / ".gitignore").write_text(line, encoding="utf-8")

    assert not IgnoreRules(jail).in_folder("").ignores("a" * 250, folder=False)

    (repository / ".gitignore").unlink()
    jail.close()


@pytest.fixture
def rules(jail: Jail) -> IgnoreRules:
    return IgnoreRules(jail)


def test_secrets_are_ignored_without_any_file(rules: IgnoreRules) -> None:
    here = rules.in_folder("")

    secret = [".env", ".env.local", "server.pem", "tls.key", "id_rsa", "id_rsa.pub", "id_ed25519"]
    assert [name for name in secret if not here.ignores(name, folder=False)] == []
    assert not here.ignores("environment.md", folder=False)
    assert not here.ignores(".env.example", folder=False)


def test_no_ignore_file_takes_a_secret_off_the_list(rules: IgnoreRules, root: Path) -> None:
    for name in (".gitignore", ".rectoignore"):
        (root / name).write_text("!.env\n!.env.local\n", encoding="utf-8")
    here = rules.in_folder("")

    assert here.ignores(".env", folder=False)
    assert here.ignores(".env.local", folder=False)
    assert not here.ignores(".env.sample", folder=False)


def test_each_ignore_file_adds_to_the_others(rules: IgnoreRules, root: Path) -> None:
    (root / ".gitignore").write_text("a\nb\n", encoding="utf-8")
    (root / ".ignore").write_text("!b\nc\n", encoding="utf-8")
    (root / ".rectoignore").write_text("d\n!a\n", encoding="utf-8")
    here = rules.in_folder("")

    ignored = {name for name in "abcde" if here.ignores(name, folder=False)}
    assert ignored == {"a", "c", "d"}


def test_deeper_files_win_and_nothing_returns_below_an_ignored_folder(
    rules: IgnoreRules, root: Path
) -> None:
    (root / "sub" / "build").mkdir(parents=True)
    (root / ".gitignore").write_text("*.log\nbuild/\n", encoding="utf-8")
    (root / "sub" / ".gitignore").write_text("!*.log\n", encoding="utf-8")
    (root / "sub" / "build" / ".gitignore").write_text("!*\n", encoding="utf-8")

    assert rules.in_folder("").ignores("a.log", folder=False)
    assert not rules.in_folder("sub").ignores("a.log", folder=False)
    assert rules.in_folder("sub/build").ignores("a.log", folder=False)


def test_a_changed_ignore_file_is_read_again(rules: IgnoreRules, root: Path) -> None:
    (root / ".gitignore").write_text("a\n", encoding="utf-8")
    assert rules.in_folder("").ignores("a", folder=False)

    (root / ".gitignore").write_text("something else\n", encoding="utf-8")
    assert not rules.in_folder("").ignores("a", folder=False)

    (root / ".gitignore").unlink()
    assert not rules.in_folder("").ignores("something else", folder=False)


def test_an_ignore_file_outside_is_not_read(rules: IgnoreRules, root: Path) -> None:
    (root.parent / "rules").write_text("a\n", encoding="utf-8")
    (root / ".gitignore").symlink_to("../rules")

    assert not rules.in_folder("").ignores("a", folder=False)
