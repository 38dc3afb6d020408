"""Secrets that the gateway gives out: shown once, and known by their hash from then on.

Each has 256 random bits, so a fast hash is enough: there is nothing to guess. The beginning of a
secret says what it is for; the log blots out whatever begins so.
"""

import hashlib

from recto.clock import Ids

KEY = "sk-recto-"
ACCESS = "rk-access-"
REFRESH = "rk-refresh-"
HINT_LENGTH = 4


def new_key(ids: Ids) -> str:
    """A key for programs."""
    return KEY + ids.secret()


def new_access_token(ids: Ids) -> str:
    """What proves for some minutes that somebody is signed in."""
    return ACCESS + ids.secret()


def new_refresh_token(ids: Ids) -> str:
    """What gets the next access token, once."""
    return REFRESH + ids.secret()


def hash_of(secret: str) -> str:
    """What is kept of a secret. Looking it up takes as long whether it is almost right or not."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hint_of(secret: str) -> str:
    """Enough to tell two keys apart, too little to use."""
    return f"…{secret[-HINT_LENGTH:]}"
