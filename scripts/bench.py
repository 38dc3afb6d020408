"""Runs the benchmarks. What Recto is measured against is installed apart from Recto, once."""

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-bench.lock"
RIVALS = ROOT / "build" / "rivals"
STAMP = RIVALS / "installed"


def main() -> None:
    """Install the rivals, then run every benchmark, or the ones named."""
    install_rivals()
    names = sys.argv[1:] or sorted(path.stem for path in (ROOT / "benchmarks").glob("[a-z]*.py"))
    for name in names:
        print(f"benchmark: {name}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}"]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            sys.exit(f"benchmark: {name} failed.")


def install_rivals() -> None:
    """Install the locked packages into a virtual environment of their own."""
    wanted = LOCK.read_text(encoding="utf-8")
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted:
        return
    print("benchmark: installing what Recto is measured against", flush=True)
    venv.create(RIVALS, with_pip=True, clear=True)
    pip = [RIVALS / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--require-hashes", "-r", LOCK], cwd=ROOT, check=True)
    STAMP.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
