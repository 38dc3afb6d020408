"""Which instructions and skills of which folders the user has agreed to, by what they say.

A folder may come from somebody else. What it tells the AI to do counts only once the user has seen
it, and another text is asked about again.
"""

import json
from collections.abc import Mapping, Sequence

from recto.config.failures import ConfigFailure
from recto.config.home import Home

MOST_VERSIONS = 20
"""How many texts of one file are remembered: going back to an earlier one need not ask."""


class Trust:
    """What the user has agreed to, kept in the home."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def is_trusted(self, folder: str, path: str, digest: str) -> bool:
        """Whether the user has agreed to this very text. Raises ConfigFailure."""
        return digest in self._read().get(folder, {}).get(path, [])

    def agreed(self, folder: str) -> Mapping[str, Sequence[str]]:
        """All texts of a folder that the user has agreed to, by path. Raises ConfigFailure."""
        return self._read().get(folder, {})

    def trust(self, folder: str, path: str, digest: str) -> None:
        """The user agrees to a text. Raises ConfigFailure."""
        versions = self._others(folder, path, digest)
        self._write(folder, path, [*versions, digest][-MOST_VERSIONS:])

    def distrust(self, folder: str, path: str, digest: str) -> None:
        """The user no longer agrees to a text. Raises ConfigFailure."""
        self._write(folder, path, self._others(folder, path, digest))

    def _others(self, folder: str, path: str, digest: str) -> list[str]:
        return [one for one in self.agreed(folder).get(path, []) if one != digest]

    def _write(self, folder: str, path: str, versions: list[str]) -> None:
        agreed = {name: dict(files) for name, files in self._read().items()}
        agreed.setdefault(folder, {})[path] = versions
        data = json.dumps({"version": 1, "folders": agreed}, indent=2).encode() + b"\n"
        self._home.replace(self._home.trust_file, data)

    def _read(self) -> Mapping[str, Mapping[str, list[str]]]:
        file = self._home.trust_file
        try:
            found = json.loads(file.read_bytes())
            return {
                str(folder): {str(path): [str(one) for one in some] for path, some in files.items()}
                for folder, files in found["folders"].items()
            }
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
            raise ConfigFailure(
                f"{file} can't be read: {error}.", "Remove it; Recto will ask again."
            ) from error
