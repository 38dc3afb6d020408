"""Sets up everything Recto needs in .venv, and does nothing where nothing has changed.

`python3 scripts/setup.py` prepares running; `--dev` also prepares the tests. Only the standard
library is used: this is the first thing that runs on a fresh machine.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / "python"
STAMPS = VENV / "recto-setup"
# What the tests drive: the package of Debian, and the names under which it may be there already.
PROGRAMS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "firefox-esr": ("firefox-esr", "firefox"),
    "bubblewrap": ("bwrap",),
}


def main() -> None:
    """Bring .venv, the page and, with --dev, what the tests run up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dev", action="store_true", help="also what the tests need")
    dev = parser.parse_args().dev
    if sys.version_info < (3, 11):  # noqa: UP036 - this runs before pip checks
        sys.exit(f"Recto needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    if not PYTHON.exists():
        say("making .venv")
        venv.create(VENV, with_pip=True)
    install_packages(dev or stamp("dev").exists())
    build_page()
    if dev:
        run(PYTHON, ROOT / "scripts" / "page.py", "tests")
        provide_programs()
    run(PYTHON, "-m", "compileall", "-q", ROOT / "src")


def install_packages(dev: bool) -> None:
    """Install the locked packages, by hash, and Recto itself as an editable package."""
    lock = ROOT / ("requirements-dev.lock" if dev else "requirements.lock")
    wanted = digest([lock, ROOT / "pyproject.toml"])
    if is_done("dev" if dev else "run", wanted):
        return
    say(f"installing {lock.name}")
    pip = (PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps")
    run(*pip, "--require-hashes", "-r", lock)
    run(*pip, "--no-build-isolation", "-e", ROOT)
    done("dev" if dev else "run", wanted)


def build_page() -> None:
    """Build the page with the Node that came as a package, if its sources changed."""
    run(PYTHON, ROOT / "scripts" / "page.py")


def provide_programs() -> None:
    """Find the programs that the tests drive, install Debian's all at once, or say what to do."""
    missing = [package for package in PROGRAMS if is_missing(package)]
    if missing and may_install():
        install_from_debian(missing)
        return
    if "chromium" in missing:
        fetch_browser()
    if "firefox-esr" in missing:
        say("Firefox is not installed: the journey in it is skipped")
    if "bubblewrap" in missing:
        say("bubblewrap is not installed: the tests of the sandbox are skipped")


def is_missing(package: str) -> bool:
    """Whether the tests would find nothing of what a package of Debian brings."""
    if any(shutil.which(name) for name in PROGRAMS[package]):
        return False
    if package == "bubblewrap":
        return sys.platform == "linux"
    return package != "chromium" or not is_done("browser", "playwright")


def fetch_browser() -> None:
    """Take Playwright's Chromium, or say what to do."""
    say("installing Playwright's chromium")
    if subprocess.run([PYTHON, "-m", "playwright", "install", "chromium"], check=False).returncode:
        sys.exit(
            "No Chromium for the browser tests. Install one so that `chromium` is on the PATH"
            " (Debian: apt-get install chromium), then run this again."
        )
    done("browser", "playwright")


def may_install() -> bool:
    """Whether this is a Debian that one may add packages to."""
    return os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install_from_debian(packages: Sequence[str]) -> None:
    """Install packages of Debian; its lists are read once for all of them."""
    say(f"installing Debian's {', '.join(packages)}")
    run("apt-get", "update", "-qq")
    run("apt-get", "install", "-y", "-qq", *packages, stdout=subprocess.DEVNULL)


def digest(paths: Sequence[Path]) -> str:
    """One hash over the contents of these files."""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()


def stamp(name: str) -> Path:
    """Where a finished step is noted."""
    return STAMPS / name


def is_done(name: str, wanted: str) -> bool:
    """Whether this step was finished for the same inputs."""
    return stamp(name).exists() and stamp(name).read_text(encoding="utf-8") == wanted


def done(name: str, wanted: str) -> None:
    """Note that a step is finished."""
    STAMPS.mkdir(exist_ok=True)
    stamp(name).write_text(wanted, encoding="utf-8")


def run(*command: str | Path, stdout: int | None = None) -> None:
    """Run a step; stop with its exit code when it fails."""
    outcome = subprocess.run(command, cwd=ROOT, stdout=stdout, check=False)
    if outcome.returncode:
        sys.exit(f"setup: `{' '.join(map(str, command))}` failed ({outcome.returncode}).")


def say(what: str) -> None:
    """Tell what takes time."""
    print(f"setup: {what}", flush=True)


if __name__ == "__main__":
    main()
