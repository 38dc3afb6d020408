"""The providers' keys: one `NAME=value` a line in keys.env, readable by the user alone."""

import re
import stat
from collections.abc import Mapping

from recto.config.failures import ConfigFailure
from recto.config.home import Home
from recto.config.secret import Secret

Keys = Mapping[str, Secret]

NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
VALUE = re.compile(r"[\x21-\x7e]{1,4096}")


def load_keys(home: Home) -> Keys:
    """Read the keys; refuse a file that other users can read."""
    file = home.keys_file
    try:
        mode = file.stat().st_mode
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigFailure(f"{file} can't be read: {error}.", "Fix or remove it.") from error
    if stat.S_IMODE(mode) & 0o077:
        raise ConfigFailure(
            f"{file} can be read by other users of this computer.", f"Run: chmod 600 {file}"
        )
    return dict(
        parse(line, f"{file}, line {number}")
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    )


def save_keys(home: Home, keys: Keys) -> None:
    """Write the keys whole; the file is never readable by others, not even for a moment."""
    lines = (f"{check_name(name)}={check_value(name, key)}\n" for name, key in keys.items())
    home.replace(home.keys_file, "".join(sorted(lines)).encode())


def parse(line: str, place: str) -> tuple[str, Secret]:
    """One line of the file. The value may stand in quotes."""
    name, equals, value = line.strip().partition("=")
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if not equals or not NAME.fullmatch(name.strip()) or not VALUE.fullmatch(value):
        raise ConfigFailure(f"{place} is not NAME=value.", "Fix that line.")
    return name.strip(), Secret(value)


def check_name(name: str) -> str:
    """The name of a key, if it can be one."""
    if NAME.fullmatch(name):
        return name
    raise ConfigFailure(
        f"{name!r} is not the name of a key.",
        "Use capitals, digits and underscores, such as ANTHROPIC_API_KEY.",
    )


def check_value(name: str, key: Secret) -> str:
    """The value of a key, if it can be one; it is never repeated in an error."""
    if VALUE.fullmatch(key.reveal()):
        return key.reveal()
    raise ConfigFailure(
        f"The value for {name} is empty or has spaces or other characters a key can't have.",
        "Copy the key again, whole and alone.",
    )
