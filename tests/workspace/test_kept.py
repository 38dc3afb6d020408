"""What is kept from the AI can't be reached by it, by whatever name; people still see it."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recto.workspace import (
    NotAFile,
    NotAFolder,
    OwnRecords,
    PathHidden,
    PathNotFound,
    PathState,
    RootGone,
    TextFile,
    Workspace,
    WorkspaceFailure,
    content_hash,
)

pytestmark = pytest.mark.anyio

SECRET = b"hunter2"
HIDDEN = (
    ".env", ".env.local", ".ENV", "deploy/.env", "server.pem", "SERVER.PEM", "tls.key", "id_rsa",
    "id_ed25519.pub", ".netrc", ".npmrc", ".pypirc", "credentials.json", "credentials-prod.json",
    "vault.kdbx", "cert.p12", "private/plan.md", "private/deep/plan.md", ".git/config",
    ".recto/tools.json", ".ssh/config", "build/.env",
)  # fmt: skip
SEEN = ("notes.md", ".env.example", ".recto/skills/a/SKILL.md", "environment.md", "build/out.txt")


@pytest.fixture
async def workspace(root: Path) -> AsyncIterator[Workspace]:
    for name in (*HIDDEN, *SEEN):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(SECRET if name in HIDDEN else b"open")
    (root / ".rectoignore").write_text("private/\n", encoding="utf-8")
    (root / ".gitignore").write_text("build/\n", encoding="utf-8")
    async with await Workspace.open(root) as workspace:
        yield workspace


@pytest.mark.parametrize("path", HIDDEN)
async def test_what_is_hidden_is_neither_read_nor_changed(workspace: Workspace, path: str) -> None:
    view = workspace.for_tools()

    with pytest.raises(PathHidden, match="kept from the AI"):
        await view.read_bytes(path)
    with pytest.raises(PathHidden):
        await view.real_path(path)
    for work in (
        view.write(path, b"x", expected_hash=content_hash(SECRET)),
        view.move(path, "open.md"),
        view.move("notes.md", path),
        view.change(path, PathState("file", SECRET), None),
        view.state(path),
        view.tree(path),
    ):
        with pytest.raises(WorkspaceFailure):
            await work
    assert await workspace.read_bytes(path) == SECRET


@pytest.mark.parametrize("path", HIDDEN)
async def test_texts_do_not_go_along_with_what_is_hidden(workspace: Workspace, path: str) -> None:
    with pytest.raises(PathHidden):
        await workspace.read_texts(["notes.md"], beside=path)

    for visible in (None, "notes.md", "not-there.md"):
        found = (await workspace.read_texts(["notes.md"], beside=visible))["notes.md"]
        assert isinstance(found, TextFile)


@pytest.mark.parametrize("path", SEEN)
async def test_the_rest_is_seen(workspace: Workspace, path: str) -> None:
    assert await workspace.for_tools().read_bytes(path) == b"open"


RECORDS = ("share/recto/tools.json", "share/recto/recto.db", "share/recto/deep/a.md")


@pytest.mark.parametrize("path", [*RECORDS, "share/recto"])
async def test_rectos_own_records_are_kept_from_the_ai(root: Path, path: str) -> None:
    (root / "share/recto/deep").mkdir(parents=True)
    for name in (*RECORDS, "share/notes.md"):
        (root / name).write_bytes(b"permissions")
    (root / ".rectoignore").write_text("!recto\n!share/recto/**\n", encoding="utf-8")
    async with await Workspace.open(root, records=root / "share" / "recto") as workspace:
        view = workspace.for_tools()
        for work in (
            view.read_bytes(path),
            view.real_path(path),
            view.write(path, b"x", expected_hash=content_hash(b"permissions")),
            view.move("share/notes.md", path),
            view.move(path, "open.md"),
            view.list_folder(path),
        ):
            with pytest.raises(PathHidden):
                await work
        assert (await view.file_names()).paths == (".rectoignore", "share/notes.md")
        assert await view.hidden_paths() == ("share/recto",)
        assert [item.path for item in await view.list_folder("share")] == ["share/notes.md"]
        # Not even a person's page reads the keys there.
        for work in (workspace.read_bytes(path), workspace.list_folder(path)):
            with pytest.raises((OwnRecords, NotAFile, NotAFolder)):
                await work
        (root / "way-in").symlink_to("share/recto")
        with pytest.raises(OwnRecords):
            await workspace.read_bytes("way-in/tools.json")


@pytest.mark.parametrize("elsewhere", ["..", ".", "../other", None])
async def test_records_that_lie_elsewhere_hide_nothing(root: Path, elsewhere: str | None) -> None:
    (root / "other").mkdir()
    (root / "other" / "a.md").write_bytes(b"open")
    records = None if elsewhere is None else root / elsewhere
    async with await Workspace.open(root, records=records) as workspace:
        assert await workspace.for_tools().read_bytes("other/a.md") == b"open"


async def test_a_link_is_no_way_around(workspace: Workspace, root: Path) -> None:
    (root / "innocent.md").symlink_to(".env")
    (root / "folder").symlink_to("private")
    view = workspace.for_tools()

    for path in ("innocent.md", "folder/plan.md"):
        with pytest.raises(PathHidden):
            await view.read_text(path)
        with pytest.raises(PathHidden):
            await view.write(path, b"x", expected_hash=content_hash(SECRET))
    with pytest.raises(PathHidden):
        await view.list_folder("folder")


async def test_other_forms_of_the_same_letters_are_hidden(workspace: Workspace) -> None:
    view = workspace.for_tools()

    for path in (
        "．env",
        ".e\u200cnv",
        ".env.",
        ".env ",
        ".env::$DATA",
        "ＩＤ_RSA",
    ):
        with pytest.raises(PathHidden):
            await view.read_bytes(path)


async def test_hidden_files_are_neither_listed_nor_found(workspace: Workspace) -> None:
    view = workspace.for_tools()

    entries = {entry.path for entry in await view.list_folder()}
    names = (await view.file_names()).paths

    assert entries == {
        ".env.example", ".gitignore", ".rectoignore", "build", "deploy", "environment.md",
        "notes.md",
    }  # fmt: skip
    assert names == (
        ".env.example", ".gitignore", ".recto/skills/a/SKILL.md", ".rectoignore", "environment.md",
        "notes.md",
    )  # fmt: skip
    assert (await view.search("hunter2")).matches == ()
    assert (await view.search("hunter2", path="deploy")).matches == ()
    with pytest.raises(PathHidden):
        await view.search("hunter2", path="private")
    assert [match.path for match in (await view.search("open")).matches] == [
        ".env.example",
        ".recto/skills/a/SKILL.md",
        "environment.md",
        "notes.md",
    ]


async def test_people_still_see_everything(workspace: Workspace) -> None:
    assert {".env", "private", ".recto"} <= {entry.path for entry in await workspace.list_folder()}
    assert await workspace.read_bytes("private/plan.md") == SECRET


async def test_all_that_must_be_masked_is_named_ignored_or_not(workspace: Workspace) -> None:
    assert await workspace.hidden_paths() == (
        ".ENV", ".env", ".env.local", ".netrc", ".npmrc", ".pypirc", ".ssh", "SERVER.PEM",
        "build/.env", "cert.p12", "credentials-prod.json", "credentials.json", "deploy/.env",
        "id_ed25519.pub", "id_rsa", "private", "server.pem", "tls.key", "vault.kdbx",
    )  # fmt: skip


async def test_rectoignore_takes_no_name_off_the_list(workspace: Workspace, root: Path) -> None:
    (root / ".rectoignore").write_text("!tls.key\n!.env\n!.*\n!*\n", encoding="utf-8")
    (root / "deploy" / ".rectoignore").write_text("!.env\n", encoding="utf-8")
    view = workspace.for_tools()

    for path in ("tls.key", "TLS.KEY", ".env", "deploy/.env", ".ssh/config"):
        with pytest.raises(PathHidden):
            await view.read_bytes(path)


async def test_a_change_of_rectoignore_counts_at_once(workspace: Workspace, root: Path) -> None:
    view = workspace.for_tools()
    assert await view.read_bytes("notes.md") == b"open"

    (root / ".rectoignore").write_text("notes.md\nprivate/\n", encoding="utf-8")

    with pytest.raises(PathHidden):
        await view.read_bytes("notes.md")


async def test_a_tree_with_something_hidden_in_it_is_not_told(workspace: Workspace) -> None:
    with pytest.raises(PathHidden):
        await workspace.for_tools().tree("deploy")


async def test_the_view_writes_where_people_do_and_their_names_follow(
    workspace: Workspace,
) -> None:
    view = workspace.for_tools()
    assert view.for_tools() is view
    assert "new.md" not in (await workspace.file_names()).paths

    await view.write("new.md", b"x", expected_hash=None)

    assert "new.md" in (await workspace.file_names()).paths
    with pytest.raises(PathNotFound):
        await view.read_bytes("other.md")


async def test_a_folder_that_was_replaced_has_no_view(workspace: Workspace, root: Path) -> None:
    os.rename(root, root.with_name("moved"))
    os.mkdir(root)

    with pytest.raises(RootGone):
        workspace.for_tools()
