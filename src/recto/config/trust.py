"""Which instructions and skills of which folders the user has agreed to, by what they say.

A folder may come from somebody else. What it tells the AI to do counts only once the user has seen
it, and another text is asked about again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from recto.config.failures import ConfigFailure
from recto.config.home import Home

MOST_VERSIONS = 20
"""How many texts of one file are remembered: going back to an earlier one need not ask."""


Texts = dict[str, dict[str, list[str]]]
"""The hashes of texts, by folder and path, the oldest first."""


@dataclass(frozen=True, slots=True)
class TrustAnswers:
    """The texts that the user has agreed to, and those that they said no to."""

    agreed: Texts
    declined: Texts


class Trust:
    """What the user has agreed to, kept in the home."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._changing = Lock()

    def is_trusted(self, folder: str, path: str, digest: str) -> bool:
        """Whether the user has agreed to this very text. Raises ConfigFailure."""
        return digest in self._read().agreed.get(folder, {}).get(path, [])

    def agreed(self, folder: str) -> Mapping[str, Sequence[str]]:
        """All texts of a folder that the user has agreed to, by path. Raises ConfigFailure."""
        return self._read().agreed.get(folder, {})

    def is_declined(self, folder: str, path: str, digest: str) -> bool:
        """Whether the user said no to this very text, for good. Raises ConfigFailure."""
        return digest in self._read().declined.get(folder, {}).get(path, [])

    def trust(self, folder: str, path: str, digest: str) -> None:
        """The user agrees to a text. Raises ConfigFailure."""
        with self._changing:
            kept = self._read()
            put(kept.agreed, folder, path, digest)
            take(kept.declined, folder, path, digest)
            self._write(kept)

    def distrust(self, folder: str, path: str, digest: str) -> None:
        """The user no longer agrees to a text. Raises ConfigFailure."""
        with self._changing:
            kept = self._read()
            take(kept.agreed, folder, path, digest)
            self._write(kept)

    def decline(self, folder: str, path: str, digest: str) -> None:
        """The user says no to a text, and is not to be asked again. Raises ConfigFailure."""
        with self._changing:
            kept = self._read()
            take(kept.agreed, folder, path, digest)
            put(kept.declined, folder, path, digest)
            self._write(kept)

    def _write(self, kept: TrustAnswers) -> None:
        content = {"version": 1, "folders": kept.agreed, "declined": kept.declined}
        data = json.dumps(content, indent=2).encode() + b"\n"
        self._home.replace(self._home.trust_file, data)

    def _read(self) -> TrustAnswers:
        file = self._home.trust_file
        try:
            found = json.loads(file.read_bytes())
            return TrustAnswers(read_texts(found["folders"]), read_texts(found.get("declined", {})))
        except FileNotFoundError:
            return TrustAnswers({}, {})
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
            raise ConfigFailure(
                f"{file} can't be read: {error}.", "Remove it; Recto will ask again."
            ) from error


def read_texts(found: Any) -> Texts:
    """Hashes as the file has them. Raises whatever a wrong shape brings."""
    return {
        str(folder): {str(path): [str(item) for item in some] for path, some in files.items()}
        for folder, files in found.items()
    }


def put(texts: Texts, folder: str, path: str, digest: str) -> None:
    """Have a text be the newest of its file."""
    take(texts, folder, path, digest)
    files = texts.setdefault(folder, {})
    files[path] = [*files.get(path, []), digest][-MOST_VERSIONS:]


def take(texts: Texts, folder: str, path: str, digest: str) -> None:
    """Forget a text."""
    files = texts.get(folder, {})
    if path in files:
        files[path] = [item for item in files[path] if item != digest]
