"""Resolves the lock files again: names, versions and hashes, no addresses.

What is locked stays as long as it fits; `--upgrade` takes the newest of everything.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / ".venv" / "bin" / "uv"
COMPILE = (
    UV,
    "pip",
    "compile",
    "--quiet",
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-header",
    "--no-annotate",
    "--no-emit-index-url",
    "--no-emit-find-links",
)


def main() -> None:
    """Write the four locks; what the tests use is never newer than what runs."""
    run, dev = "requirements.lock", "requirements-dev.lock"
    groups = ("--group=build", "--group=model")
    compile_lock(run, "pyproject.toml", *groups)
    compile_lock(dev, "pyproject.toml", *groups, "--group=dev", f"--constraints={run}")
    compile_lock("requirements-bench.lock", "--group=bench")
    # Apart from the other rivals: it wants other versions of what they have in common.
    compile_lock("requirements-bench-gateway.lock", "--group=bench-gateway")


def compile_lock(lock: str, *sources: str) -> None:
    """Resolve one lock file."""
    newest = ["--upgrade"] if "--upgrade" in sys.argv[1:] else []
    subprocess.run([*COMPILE, *newest, *sources, "--output-file", lock], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
