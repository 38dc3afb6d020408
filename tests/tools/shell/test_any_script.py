"""Whatever a script does with a few files: the changes lead to the folder it leads to."""

import shutil
import tempfile
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tools.shell.conftest import opened
from tests.tools.shell.place import applied, tree

pytestmark = pytest.mark.anyio

PATHS = st.sampled_from(["a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "f", "f/a"])
STEPS = st.one_of(
    st.builds("echo {1} >> {0}".format, PATHS, st.integers(0, 9)),
    st.builds("mkdir -p {0}".format, PATHS),
    st.builds("rm -rf {0}".format, PATHS),
    st.builds("mv -T {0} {1}".format, PATHS, PATHS),
    st.builds("cp -rT {0} {1}".format, PATHS, PATHS),
    st.builds("ln -sfn {0} {1}".format, PATHS, PATHS),
    # Not a folder that nobody may enter: root, who runs the twin, may, and a sandboxed command not.
    st.builds("chmod {1} {0}".format, PATHS, st.sampled_from(["755", "750", "700"])),
)


@pytest.mark.parametrize("level", ["sandboxed", "unsandboxed"])
@settings(
    max_examples=examples(12),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(before=st.lists(STEPS, max_size=6), steps=st.lists(STEPS, max_size=8))
async def test_the_changes_of_any_script_are_complete(
    tmp_path: Path, secret: Path, level: str, before: list[str], steps: list[str]
) -> None:
    root = Path(tempfile.mkdtemp(dir=tmp_path))
    twin = root.with_suffix(".twin")
    await script(root, before)
    shutil.copytree(root, twin, symlinks=True)
    await script(twin, steps)
    known = tree(root)

    async with opened(
        root, secret, "sandboxed" if level == "sandboxed" else "unsandboxed"
    ) as place:
        ran = await place.run("\n".join(f"{step} 2>/dev/null" for step in steps) + "\ntrue")

    assert (ran.code, ran.found.lost, ran.found.clashes) == (0, "", ())
    assert applied(known, ran.changes) == tree(twin)


async def script(folder: Path, steps: list[str]) -> None:
    text = "\n".join(f"{step} 2>/dev/null" for step in steps)
    await anyio.run_process(["bash", "-c", f"{text}\ntrue"], cwd=folder)
