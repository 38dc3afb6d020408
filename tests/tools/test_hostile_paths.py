"""Whatever path a model writes in whatever tool, nothing outside or hidden is read or changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recto.messages import Json, Text
from recto.tools import ToolOutcome, builtin_tools
from tests.tools.bench import Bench, FakeShell
from tests.tools.research import nowhere
from tests.workspace.hostile import CANARY, CORPUS, HAND_MADE, furnish, snapshot

pytestmark = pytest.mark.anyio

PATHS = ("path", "new_path", "new_name", "document")
SECRET = "hunter2"
HIDDEN = (
    ".env", "sub/.env", ".env.local", "server.pem", "tls.key", "id_rsa", ".netrc", "private/a.md",
    "to_env", "to_private/a.md", ".git/config", ".recto/tools.json", "git_link/config",
)  # fmt: skip
EXAMPLES: Json = {"string": "x", "integer": 1, "number": 1.0, "boolean": False, "array": []}


def path_arguments() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every argument of every tool that is a path, found in the schemas, with the others filled."""
    for tool in builtin_tools(FakeShell(), nowhere()):
        schema = tool.declaration.parameters
        for name in schema["properties"]:
            if name in PATHS or name.endswith(("path", "file", "folder")):
                others = {
                    other: "movable.txt" if other in PATHS else EXAMPLES[found["type"]]
                    for other, found in schema["properties"].items()
                    if other in schema["required"] and other != name
                }
                yield tool.name, name, others


ARGUMENTS = list(path_arguments())


def words(outcome: ToolOutcome) -> str:
    return "\n".join(part.text for part in outcome.content if isinstance(part, Text))


def test_every_tool_with_a_path_is_found() -> None:
    assert [f"{tool}.{argument}" for tool, argument, _ in ARGUMENTS] == [
        "read_file.path", "write_file.path", "edit_file.path", "list_files.path",
        "search_content.path", "create_file.path", "rename_file.path", "rename_file.new_name",
        "move_file.path", "move_file.new_path", "duplicate_file.path", "delete_file.path",
        "add_task.path", "read_tasks.path", "add_comment.path", "search_references.document",
        "get_reference.document", "cite_reference.path",
    ]  # fmt: skip


@pytest.mark.parametrize(("tool", "argument", "others"), ARGUMENTS)
async def test_nothing_outside_is_read_or_changed(
    bench: Bench, root: Path, tool: str, argument: str, others: dict[str, Any]
) -> None:
    around = furnish(root)
    bench.research = nowhere()
    bench.write("movable.txt", "movable")
    before = snapshot(around, root)

    for path in (*HAND_MADE, *CORPUS[len(HAND_MADE) :: 40]):
        outcome = await bench.call_with(tool, {**others, argument: path})
        assert CANARY.decode() not in words(outcome)
        assert "root:" not in words(outcome)

    assert snapshot(around, root) == before


@pytest.mark.parametrize(("tool", "argument", "others"), ARGUMENTS)
async def test_nothing_hidden_is_read_or_changed(
    bench: Bench, root: Path, tool: str, argument: str, others: dict[str, Any]
) -> None:
    furnish(root)
    bench.research = nowhere()
    bench.write(".rectoignore", "private/\n")
    for path in HIDDEN:
        if not path.startswith("to_"):
            bench.write(path, SECRET)
    (root / "to_env").symlink_to(".env")
    (root / "to_private").symlink_to("private")
    bench.write("movable.txt", "movable")
    secrets = [path for path in HIDDEN if not path.startswith(("to_", "git_link"))]
    same_letters = ("．env", ".ENV", ".env.", "sub/.Env")

    for path in (*HIDDEN, *same_letters, "private", "to_private", "sub", ""):
        outcome = await bench.call_with(tool, {**others, argument: path})
        assert SECRET not in words(outcome)

    assert [path for path in secrets if bench.read(path) != SECRET.encode()] == []
    assert len([text for text in bench.files().values() if text == SECRET]) <= len(HIDDEN)
    assert not (root / ".ENV").exists()
