"""Runs the benchmarks. What Recto is measured against is installed apart from Recto, once."""

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RIVALS = (
    (ROOT / "requirements-bench.lock", ROOT / "build" / "rivals"),
    (ROOT / "requirements-bench-gateway.lock", ROOT / "build" / "litellm"),
)
NGINX = ROOT / "build" / "nginx"


def main() -> None:
    """Install the rivals, then run every benchmark, or those named; say at the end which failed."""
    for lock, place in RIVALS:
        install(lock, place)
    unpack_nginx()
    names = sys.argv[1:] or sorted(path.stem for path in (ROOT / "benchmarks").glob("[a-z]*.py"))
    failed = [name for name in names if not ran(name)]
    if failed:
        sys.exit(f"benchmark: {', '.join(failed)} failed.")


def ran(name: str) -> bool:
    """Run a benchmark: whether it ended well."""
    print(f"benchmark: {name}", flush=True)
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def install(lock: Path, place: Path) -> None:
    """Install locked packages into a virtual environment of their own."""
    wanted, stamp = lock.read_text(encoding="utf-8"), place / "installed"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    print("benchmark: installing what Recto is measured against", flush=True)
    venv.create(place, with_pip=True, clear=True)
    pip = [place / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--require-hashes", "-r", lock], cwd=ROOT, check=True)
    stamp.write_text(wanted, encoding="utf-8")


def unpack_nginx() -> None:
    """Unpack Debian's nginx, unless there is one; where there is no Debian it is left out."""
    if NGINX.exists() or shutil.which("nginx") or not shutil.which("apt-get"):
        return
    with tempfile.TemporaryDirectory() as folder:
        download = subprocess.run(["apt-get", "-qq", "download", "nginx"], cwd=folder, check=False)
        for package in Path(folder).glob("*.deb") if download.returncode == 0 else ():
            subprocess.run(["dpkg", "-x", package, NGINX], check=True)


if __name__ == "__main__":
    main()
