"""What a person agrees to before a folder's server starts: every letter of what runs."""

import hashlib
import json
import shlex
import unicodedata

from recto.mcp.configuration import ServerConfig

# Letters that count as printable and show nothing.
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


def start_lines(config: ServerConfig) -> tuple[str, ...]:
    """Everything that decides what a server is, in lines for people, invisible letters written out.

    References to keys stay references: which key is handed over is what a person decides about.
    """
    if config.url is not None:
        headers = [f"{name}: {value}" for name, value in sorted(config.headers.items())]
        lines = [config.url, *headers, *sign_in_lines(config)]
    else:
        values = [f"{name}={shlex.quote(value)}" for name, value in sorted(config.env.items())]
        folder = [] if config.cwd is None else [f"in {config.cwd}"]
        lines = [shlex.join([config.command, *config.args]), *values, *folder]
    return tuple(map(written_out, lines))


def sign_in_lines(config: ServerConfig) -> list[str]:
    """What is told of us at a sign-in."""
    told = {
        "clientMetadataUrl": config.client_metadata_url,
        "clientId": config.client_id,
        "clientSecret": config.client_secret,
    }
    return [f"{name}: {value}" for name, value in told.items() if value is not None]


def start_digest(config: ServerConfig) -> str:
    """What stands for the server when a person agrees to it."""
    parts = [
        config.command,
        list(config.args),
        sorted(config.env.items()),
        config.cwd,
        config.url,
        sorted(config.headers.items()),
        *sign_in_lines(config),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def written_out(text: str, *, plain: str = "") -> str:
    """A text to decide by: what can't be seen, or turns other letters around, as escapes."""
    return "".join(
        letter if letter in plain or is_visible(letter) else escaped(letter) for letter in text
    )


def is_visible(letter: str) -> bool:
    """Whether a person sees the letter as what it is."""
    if letter == " ":
        return True
    if letter in BLANK or any(ord(letter) in some for some in SELECTORS):
        return False
    return letter.isprintable() and unicodedata.category(letter) not in ("Zs", "Cf")


def escaped(letter: str) -> str:
    """A letter as Python writes it."""
    if not letter.isascii() and not letter.isprintable():
        return letter.encode("unicode_escape", "surrogatepass").decode("ascii")
    if letter.isascii():
        return letter.encode("unicode_escape").decode("ascii")
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"
