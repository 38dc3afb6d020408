"""Writes the bill of materials of a release: everything that is in it or runs with it, by hash.

CycloneDX 1.6, made of the lock files alone, so that the same locks always give the same bytes.
"""

import base64
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
ALGORITHMS = {"sha1": "SHA-1", "sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}

Component = dict[str, Any]


def main() -> None:
    """Write it into a folder, `dist` unless another one is named."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    page = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))
    bill = bill_of(project["name"], project["version"], locked, page)
    file = folder / f"{project['name']}-{project['version']}.cdx.json"
    file.write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")
    print(file.name)


def bill_of(name: str, version: str, locked: str, page: dict[str, Any]) -> Component:
    """The whole bill."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component("application", "pypi", name, version)},
        "components": [*python_packages(locked), *page_packages(page)],
    }


def python_packages(locked: str) -> list[Component]:
    """What is installed with Recto, each with the hashes of all its files that may be taken."""
    found: list[Component] = []
    for line in locked.splitlines():
        named = REQUIREMENT.match(line)
        if named is not None:
            found.append(component("library", "pypi", named[1], named[2]) | {"hashes": []})
        found[-1]["hashes"] += [{"alg": "SHA-256", "content": hash} for hash in HASH.findall(line)]
    return found


def page_packages(page: dict[str, Any]) -> list[Component]:
    """What the page is made of and with."""
    found: list[Component] = []
    for place, package in sorted(page["packages"].items()):
        if not place:
            continue
        name = place.rpartition("node_modules/")[2]
        made = component("library", "npm", name, package["version"])
        algorithm, _, digest = package["integrity"].partition("-")
        content = base64.b64decode(digest).hex()
        made["hashes"] = [{"alg": ALGORITHMS[algorithm], "content": content}]
        made["properties"] = [{"name": "recto:part", "value": "the page is made of it, or with it"}]
        if isinstance(package.get("license"), str):
            made["licenses"] = [{"expression": package["license"]}]
        # The same version may lie in two places of the tree.
        if made["bom-ref"] not in {other["bom-ref"] for other in found}:
            found.append(made)
    return found


def component(kind: str, index: str, name: str, version: str) -> Component:
    """One thing by its name."""
    address = f"pkg:{index}/{name.replace('@', '%40')}@{version}"
    return {"type": kind, "bom-ref": address, "name": name, "version": version, "purl": address}


if __name__ == "__main__":
    main()
