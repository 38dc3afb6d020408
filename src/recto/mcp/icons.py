"""The picture of a server: carried by what it says, or read from its own address. Nowhere else."""

import base64
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from mcp_types import Icon

from recto.mcp.http import read_small
from recto.tools import picture_type

MAX_BYTES = 100_000
DATA = re.compile(r"data:image/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}")


async def icon_of(icons: Sequence[Icon], url: str | None) -> str:
    """The first picture that may be shown, as a data address; empty when there is none."""
    for icon in icons:
        if len(icon.src) <= MAX_BYTES * 2 and DATA.fullmatch(icon.src):
            return icon.src
    for icon in icons:
        if url is not None and is_own(icon.src, url):
            return await fetched(icon.src, url)
    return ""


def is_own(src: str, url: str) -> bool:
    """Whether a picture lies where the server itself does."""
    try:
        found, own = urlsplit(src), urlsplit(url)
        return (found.scheme, found.netloc) == (own.scheme, own.netloc)
    except ValueError:
        return False


async def fetched(src: str, url: str) -> str:
    """A picture of the server's own host, by its bytes."""
    content = await read_small(src, url, MAX_BYTES)
    kind = None if content is None else picture_type(content)
    if content is None or kind is None:
        return ""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
