"""`make run`: opens Recto on a folder, or on a copy of the sample."""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample" / "tide-gauges"
COPY = ROOT / ".sample" / "tide-gauges"


def main() -> None:
    """Become the `recto` command. The sample is copied: playing with it changes no source."""
    folders = sys.argv[1:]
    if not folders:
        if not COPY.exists():
            shutil.copytree(SAMPLE, COPY)
        folders = [str(COPY)]
    recto = ROOT / ".venv" / "bin" / "recto"
    os.execv(recto, [str(recto), *folders])


if __name__ == "__main__":
    main()
