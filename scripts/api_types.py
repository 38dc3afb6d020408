"""Writes the page's API types from the server's own description; `--check` only compares."""

import json
import sys
import tempfile
from pathlib import Path

import page

from recto.server import build_api, describe_api

TYPES = page.WEB / "src" / "api" / "generated.ts"


def main() -> None:
    """Generate, then write or compare."""
    found = generate()
    if sys.argv[1:] != ["--check"]:
        TYPES.write_text(found, encoding="utf-8")
    elif TYPES.read_text(encoding="utf-8") != found:
        sys.exit(f"{TYPES.relative_to(page.ROOT)} is not up to date. Run: make types")


def generate() -> str:
    """The types as TypeScript. The version is left out: a release changes no type."""
    with tempfile.TemporaryDirectory() as folder:
        description = Path(folder) / "openapi.json"
        types = Path(folder) / "types.ts"
        schema = json.dumps(describe_api(build_api(version="0")))
        description.write_text(schema, encoding="utf-8")
        # A field with a default may be left out of an answer; the generator would call it required.
        options = ("--default-non-nullable=false", "-o", str(types))
        page.npm("exec", "--silent", "--", "openapi-typescript", str(description), *options)
        return types.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
