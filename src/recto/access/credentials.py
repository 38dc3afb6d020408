"""The keys: the environment before keys.env. Only the place that sends one may reveal it."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from recto.config import Home, Keys, Secret, load_keys

FINGERPRINT_LENGTH = 12
KeySource = Literal["environment", "keys.env"]


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """That a key is set and where, never what it is."""

    name: str
    source: KeySource | None


class Credentials:
    """The keys as they are now."""

    def __init__(self, environment: Mapping[str, str], keys: Keys) -> None:
        self._environment = environment
        self._keys = keys

    def find(self, name: str) -> Secret | None:
        """A key by its name; an empty one is none."""
        if value := self._environment.get(name, "").strip():
            return Secret(value)
        return self._keys.get(name)

    def name_of(self, names: Iterable[str]) -> str | None:
        """The first of some names that a key is set under."""
        return next((name for name in names if self.find(name) is not None), None)

    def status(self, names: Iterable[str]) -> tuple[KeyStatus, ...]:
        """Which keys are set."""
        return tuple(KeyStatus(name, self._source(name)) for name in names)

    def _source(self, name: str) -> KeySource | None:
        if self._environment.get(name, "").strip():
            return "environment"
        return "keys.env" if name in self._keys else None


def load_credentials(environment: Mapping[str, str], home: Home) -> Credentials:
    """The keys of this user."""
    return Credentials(environment, load_keys(home))


def fingerprint(address: str, key: Secret | None) -> str:
    """A short name for an account: the same for the same key at the same address, nothing more."""
    secret = "" if key is None else key.reveal()
    # One way only, and with our own words in it: the same key elsewhere has another print.
    digest = hashlib.sha256(f"recto account\0{address}\0{secret}".encode())
    return digest.hexdigest()[:FINGERPRINT_LENGTH]
