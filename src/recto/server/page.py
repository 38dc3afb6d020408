"""The built page, read once and served from memory."""

import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

STATIC = Path(__file__).parent / "static"
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
TYPES = {".js": "text/javascript", ".woff2": "font/woff2", ".webmanifest": "application/json"}


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


class BuiltPage:
    """All files of the page by their address; anything else does not exist."""

    def __init__(self, folder: Path = STATIC, entry: str = "index.html") -> None:
        """`entry` is the file at the address /."""
        if not (folder / entry).is_file():
            raise PageMissing
        self._entry = entry
        self._assets = {
            "/" + path.relative_to(folder).as_posix(): describe(path, folder)
            for path in folder.rglob("*")
            if path.is_file() and not path.name.startswith(".")
        }

    def respond(self, request: Request) -> Response | None:
        """The file at this address; None if there is none."""
        address = f"/{self._entry}" if request.url.path == "/" else request.url.path
        asset = self._assets.get(address)
        if asset is None:
            return None
        headers = {"etag": asset.etag, "cache-control": asset.cache}
        if request.headers.get("if-none-match") == asset.etag:
            return Response(status_code=304, headers=headers)
        return Response(asset.path.read_bytes(), media_type=asset.media_type, headers=headers)


def describe(path: Path, folder: Path) -> Asset:
    """What the browser is told about a file. Built assets carry their hash in the name."""
    status = path.stat()
    mark = hashlib.sha256(f"{path.name} {status.st_size} {status.st_mtime_ns}".encode())
    hashed = path.relative_to(folder).parts[0] == "assets"
    return Asset(
        path,
        TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream",
        f'"{mark.hexdigest()[:32]}"',
        FOR_EVER if hashed else ASK_AGAIN,
    )
