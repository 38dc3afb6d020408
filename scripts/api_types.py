"""Writes the pages' API types from the servers' own descriptions; `--check` only compares."""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import page

from recto.gateway import build_people_api
from recto.server import build_api, describe_api

FOLDER = page.WEB / "src" / "api"


def main() -> None:
    """Generate, then write or compare."""
    # The version is left out: a release changes no type.
    described = {
        FOLDER / "generated.ts": describe_api(build_api(version="0")),
        FOLDER / "gateway.ts": build_people_api().openapi(),
    }
    for types, description in described.items():
        found = generate(description)
        if sys.argv[1:] != ["--check"]:
            types.write_text(found, encoding="utf-8")
        elif types.read_text(encoding="utf-8") != found:
            sys.exit(f"{types.relative_to(page.ROOT)} is not up to date. Run: make types")


def generate(described: dict[str, Any]) -> str:
    """The types as TypeScript."""
    with tempfile.TemporaryDirectory() as folder:
        description = Path(folder) / "openapi.json"
        types = Path(folder) / "types.ts"
        description.write_text(json.dumps(described), encoding="utf-8")
        # A field with a default may be left out of an answer; the generator would call it required.
        options = ("--default-non-nullable=false", "-o", str(types))
        page.npm("exec", "--silent", "--", "openapi-typescript", str(description), *options)
        return types.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
