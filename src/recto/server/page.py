"""The built page, read once and served from memory."""

import base64
import hashlib
import mimetypes
import os
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

STATIC = Path(__file__).parent / "static"
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
ENDINGS = {".br": "br", ".gz": "gzip"}
"""How packed files end; the first that a browser takes is sent."""
DIAGRAMS = "diagrams.html"
INLINE_SCRIPT = re.compile(rb"<script>(.*)</script>", re.DOTALL)
NOT_TAKEN = re.compile(r"q=0(\.0*)?")
TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".woff2": "font/woff2",
    ".webmanifest": "application/json",
}


class PageMissing(Exception):
    """The page was not built."""

    def __init__(self) -> None:
        super().__init__("The page is not built. Run `make setup` in Recto's folder.")


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of the page."""

    path: Path
    media_type: str
    etag: str
    cache: str
    packed: Mapping[str, Path]
    """The same, packed when the page was built, by its encoding."""
    policy: Mapping[str, str]
    """The content security policy of a page that is shown in a frame."""


class BuiltPage:
    """All files of the page by their address; anything else does not exist."""

    def __init__(self, folder: Path = STATIC, entry: str = "index.html") -> None:
        """`entry` is the file at the address /."""
        if not (folder / entry).is_file():
            raise PageMissing
        self._entry = entry
        self._places = {
            address + name: (address, place, names)
            for address, place, names in walk(folder)
            for name in names
            if not name.startswith(".") and not name.endswith(tuple(ENDINGS))
        }
        # Described when first asked for: a start waits for none of hundreds of files.
        self._assets: dict[str, Asset] = {}

    def has(self, path: str) -> bool:
        """Whether there is a file at this path."""
        return self._address(path) in self._places

    def respond(self, request: Request) -> Response | None:
        """The file at this address; None if there is none."""
        asset = self._find(self._address(request.url.path))
        if asset is None:
            return None
        taken = encodings_of(request.headers.get("accept-encoding", ""))
        encoding = next((name for name in asset.packed if name in taken), None)
        # Each form has a mark of its own: a browser keeps one, and asks whether it is still good.
        etag = asset.etag if encoding is None else f'{asset.etag[:-1]}-{encoding}"'
        headers = {"etag": etag, "cache-control": asset.cache, **asset.policy}
        if asset.packed:
            headers["vary"] = "accept-encoding"
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers=headers)
        path = asset.path if encoding is None else asset.packed[encoding]
        if encoding is not None:
            headers["content-encoding"] = encoding
        return Response(path.read_bytes(), media_type=asset.media_type, headers=headers)

    def _address(self, path: str) -> str:
        return f"/{self._entry}" if path == "/" else path

    def _find(self, address: str) -> Asset | None:
        """What is at this address."""
        if address not in self._assets and address in self._places:
            folder, place, names = self._places[address]
            name = address.removeprefix(folder)
            self._assets[address] = describe(Path(place, name), folder, frozenset(names))
        return self._assets.get(address)


def encodings_of(header: str) -> frozenset[str]:
    """The encodings that a browser takes."""
    offers = (item.replace(" ", "").lower().partition(";") for item in header.split(","))
    return frozenset(name for name, _, weight in offers if not NOT_TAKEN.fullmatch(weight))


def walk(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Each folder of the page: the beginning of its files' addresses, its path, their names."""
    for place, _, names in os.walk(folder):
        inner = Path(place).relative_to(folder).as_posix()
        yield "/" if inner == "." else f"/{inner}/", place, names


def describe(path: Path, address: str, beside: Set[str]) -> Asset:
    """What the browser is told about a file. Built assets carry their hash in the name."""
    status = path.stat()
    mark = hashlib.sha256(f"{path.name} {status.st_size} {status.st_mtime_ns}".encode())
    return Asset(
        path,
        TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream",
        f'"{mark.hexdigest()[:32]}"',
        FOR_EVER if address.startswith("/assets/") else ASK_AGAIN,
        {
            encoding: path.with_name(path.name + ending)
            for ending, encoding in ENDINGS.items()
            if path.name + ending in beside
        },
        frame_policy(path.read_bytes()) if path.name == DIAGRAMS else {},
    )


def frame_policy(page: bytes) -> Mapping[str, str]:
    """A page that runs its own script and no other, without an origin and without a network."""
    script = INLINE_SCRIPT.search(page)
    digest = base64.b64encode(hashlib.sha256(script[1] if script else b"").digest()).decode()
    return {
        "content-security-policy": f"default-src 'none'; script-src 'sha256-{digest}';"
        " style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self';"
        " sandbox allow-scripts"
    }
