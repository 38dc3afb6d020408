"""Passwords: Argon2id, in few threads, so that sign-ins can't take the machine."""

import unicodedata
from typing import Protocol

from anyio import CapacityLimiter, to_thread
from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from recto.clock import Ids

SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1000
AT_ONCE = 2
LENGTH = 32
MEMORY_KIB = 19 * 1024
ROUNDS = 2
LANES = 1


class PasswordHashing(Protocol):
    """Makes and checks what is kept of passwords."""

    async def hash(self, password: str) -> str:
        """What is kept of a password."""
        ...

    async def matches(self, password: str, kept: str | None) -> bool:
        """Whether it is the password; as slow when there is none."""
        ...


class Argon2Passwords:
    """Argon2id with 19 MiB and two rounds, and a salt for each password."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._limiter = CapacityLimiter(AT_ONCE)
        self._nobody: str | None = None

    async def hash(self, password: str) -> str:
        """The hash with its salt and settings, as one text."""
        salt = bytes.fromhex(self._ids.secret())[:16]
        return await to_thread.run_sync(_hash, password, salt, limiter=self._limiter)

    async def matches(self, password: str, kept: str | None) -> bool:
        """Whether it is the password. An account without one is not told apart by the time."""
        if kept is None:
            if self._nobody is None:
                self._nobody = await self.hash(self._ids.secret())
            await to_thread.run_sync(_matches, password, self._nobody, limiter=self._limiter)
            return False
        return await to_thread.run_sync(_matches, password, kept, limiter=self._limiter)


def _hash(password: str, salt: bytes) -> str:
    made = Argon2id(
        salt=salt, length=LENGTH, iterations=ROUNDS, lanes=LANES, memory_cost=MEMORY_KIB
    )
    return made.derive_phc_encoded(_bytes(password))


def _matches(password: str, kept: str) -> bool:
    try:
        Argon2id.verify_phc_encoded(_bytes(password), kept)
    except InvalidKey:
        return False
    return True


def _bytes(password: str) -> bytes:
    # The same letters, however a keyboard puts them together.
    return unicodedata.normalize("NFKC", password).encode()
