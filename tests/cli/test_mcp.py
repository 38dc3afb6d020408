"""`recto mcp`, as people run it: the list, adding, removing, trying; also two at a time."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.cli.recto import Command
from tests.mcp.conftest import lay_servers, program


def test_a_server_is_added_tried_and_removed(recto: Command, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    lay_servers(folder / ".recto", theirs=program())
    empty = recto.run("mcp", "list", "--folder", str(tmp_path))
    assert "No MCP servers yet" in empty.stdout
    named = program(tools=["echo"])
    added = recto.run("mcp", "add", "mine", "--", named["command"], *named["args"])
    assert (added.returncode, "recto mcp check mine" in added.stdout) == (0, True)
    twice = recto.run("mcp", "add", "mine", "--", "true")
    assert (twice.returncode, "There is a server mine already" in twice.stderr) == (2, True)
    secret = recto.run(
        "mcp", "add", "far", "--url", "https://a.example", "--header", "X-Key: abcdefgh"
    )
    assert "holds a secret in plain text" in secret.stderr
    assert recto.run("mcp", "add", "none").returncode == 2
    # What would be passed over in silence is refused.
    for wrong in (("--url", "https://a.example", "--env", "A=b"), ("--header", "A: b", "--", "ls")):
        refused = recto.run("mcp", "add", "none", *wrong)
        assert (refused.returncode, "is for a" in refused.stderr) == (2, True)

    listed = json.loads(recto.run("mcp", "list", "--json", "--folder", str(folder)).stdout)
    assert [(item["name"], item["transport"]) for item in listed] == [
        ("mine", "stdio"),
        ("far", "http"),
        ("theirs", "stdio"),
    ]
    checked = recto.run("mcp", "check", "mine", "--json")
    (mine,) = json.loads(checked.stdout)
    assert (checked.returncode, mine["state"], mine["revision"]) == (0, "ready", "2025-11-25")
    assert [tool["name"] for tool in mine["tools"]] == ["mine__echo"]
    assert mine["tools"][0]["tokens"] > 10
    # What a folder names is shown, not started; nobody is there to approve it.
    theirs = recto.run("mcp", "check", "theirs", "--folder", str(folder))
    assert theirs.returncode == 1
    assert sys.executable in theirs.stderr
    assert "It is not approved" in theirs.stderr

    assert recto.run("mcp", "remove", "mine").returncode == 0
    gone = recto.run("mcp", "check", "mine")
    assert (gone.returncode, "There is no server mine here" in gone.stderr) == (2, True)


def test_two_that_add_at_once_both_stand_in_the_file(recto: Command) -> None:
    def add(name: str) -> int:
        return recto.run("mcp", "add", name, "--", "true").returncode

    with ThreadPoolExecutor() as pool:
        assert list(pool.map(add, "abcd")) == [0, 0, 0, 0]
    kept = json.loads((recto.home / "mcp.json").read_text(encoding="utf-8"))
    assert set(kept["mcpServers"]) == set("abcd")
