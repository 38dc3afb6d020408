"""The bill of materials names what is locked, and nothing else."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_bill_names_everything_that_is_locked_by_its_hash(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "bill.py", tmp_path], check=True)
    (file,) = tmp_path.glob("recto-*.cdx.json")
    bill = json.loads(file.read_text(encoding="utf-8"))
    locked = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    named = {part["purl"] for part in bill["components"]}
    python = re.findall(r"(?m)^([A-Za-z0-9._-]+)==([^\s;\\]+)", locked)
    assert {f"pkg:pypi/{name}@{version}" for name, version in python} <= named
    page = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))
    assert len(named) == len(bill["components"])
    assert {name for name in named if name.startswith("pkg:npm/svelte@")}
    versions = {package["version"] for place, package in page["packages"].items() if place}
    assert {part["version"] for part in bill["components"] if "/npm/" in part["purl"]} <= versions
    hashes = [one["content"] for part in bill["components"] for one in part["hashes"]]
    assert all(part["hashes"] for part in bill["components"])
    assert set(re.findall(r"sha256:([0-9a-f]{64})", locked)) <= set(hashes)
