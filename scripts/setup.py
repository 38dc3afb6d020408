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
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


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
        provide_browser()
        provide_firefox()
        provide_sandbox()
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


def provide_browser() -> None:
    """Find a Chromium for the browser tests, install one, or say how."""
    if any(shutil.which(name) for name in BROWSERS) or is_done("browser", "playwright"):
        return
    if may_install():
        install_from_debian("chromium")
        return
    say("installing Playwright's chromium")
    if subprocess.run([PYTHON, "-m", "playwright", "install", "chromium"], check=False).returncode:
        sys.exit(
            "No Chromium for the browser tests. Install one so that `chromium` is on the PATH"
            " (Debian: apt-get install chromium), then run this again."
        )
    done("browser", "playwright")


def provide_firefox() -> None:
    """Find a Firefox for the journey in it, install Debian's, or say that it is left out."""
    if any(shutil.which(name) for name in ("firefox-esr", "firefox")):
        return
    if may_install():
        install_from_debian("firefox-esr")
    else:
        say("Firefox is not installed: the journey in it is skipped")


def provide_sandbox() -> None:
    """Find bubblewrap for the tests of the sandbox, install it, or say how."""
    if sys.platform != "linux" or shutil.which("bwrap"):
        return
    if may_install():
        install_from_debian("bubblewrap")
    else:
        say("bubblewrap is not installed: the tests of the sandbox are skipped")


def may_install() -> bool:
    """Whether this is a Debian that one may add packages to."""
    return os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install_from_debian(package: str) -> None:
    """Install a package of Debian."""
    say(f"installing Debian's {package}")
    run("apt-get", "update", "-qq")
    run("apt-get", "install", "-y", "-qq", package, stdout=subprocess.DEVNULL)


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
