"""What a file is, by its bytes and never by its name, and how a browser may be given it."""

import re
from collections.abc import Mapping

SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)
BITMAP_HEADERS = (12, 40, 52, 56, 64, 108, 124)
AVIF_BRANDS = {b"avif", b"avis"}
# Possessive and atomic: a hostile file must not make the search try every way to cut its comments.
SVG_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml(?>[^>]*>)\s*+)?"
    rb"(?>(?:<!--.*?-->|<!DOCTYPE\s+svg(?>[^>\[]*)(?:\[(?>[^\]]*)\]\s*)?>)\s*)*+<svg[\s/>]",
    re.DOTALL | re.IGNORECASE,
)
SVG_HEAD = 65_536

SHUT = "default-src 'none'; base-uri 'none'; form-action 'none'"
PICTURE_POLICY = f"{SHUT}; frame-ancestors 'none'; sandbox"
# A drawing's own look is kept: its styles and what it carries inside. Scripts have no way in.
DRAWING_POLICY = (
    f"{SHUT}; style-src 'unsafe-inline'; img-src data:; font-src data:;"
    " frame-ancestors 'none'; sandbox"
)
# Interactive output of a notebook: its scripts run, without an origin and without a way out.
FRAME_POLICY = (
    f"{SHUT}; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline';"
    " img-src data: blob:; font-src data:; frame-ancestors 'self'; sandbox allow-scripts"
)
POLICIES: Mapping[str, str] = {"image/svg+xml": DRAWING_POLICY}


def media_type_of(data: bytes) -> str | None:
    """The type of a picture or PDF; None for anything else."""
    for signature, media_type in SIGNATURES:
        if data.startswith(signature):
            return media_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if is_avif(data):
        return "image/avif"
    if is_bitmap(data):
        return "image/bmp"
    if is_icon(data):
        return "image/x-icon"
    return "image/svg+xml" if SVG_START.match(data[:SVG_HEAD]) else None


def policy_of(media_type: str) -> str:
    """The content security policy a file of this type is served with."""
    return POLICIES.get(media_type, PICTURE_POLICY)


def disposition_of(media_type: str) -> str:
    """Whether a browser shows the file or saves it: its own viewer would run a PDF's scripts."""
    return "attachment" if media_type == "application/pdf" else "inline"


def is_avif(data: bytes) -> bool:
    """An ISO media file whose brands, the first box, name AVIF."""
    if data[4:8] != b"ftyp":
        return False
    size = min(int.from_bytes(data[:4]), 256)
    brands = {data[at : at + 4] for at in (8, *range(16, size, 4))}
    return not brands.isdisjoint(AVIF_BRANDS)


def is_bitmap(data: bytes) -> bool:
    """Two letters alone could begin any text: the header's own size must be one of the known."""
    header = int.from_bytes(data[14:18], "little")
    return data[:2] == b"BM" and data[6:10] == bytes(4) and header in BITMAP_HEADERS


def is_icon(data: bytes) -> bool:
    """An icon file with at least one picture, whose entry has its reserved byte empty."""
    return data[:4] == b"\x00\x00\x01\x00" and data[4:6] != b"\x00\x00" and data[9:10] == b"\x00"
