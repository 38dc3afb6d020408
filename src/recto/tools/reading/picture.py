"""Pictures that models see, known by their first bytes and not by their names."""

from recto.messages import Image
from recto.tools.tool import ToolFailure

MAX_BYTES = 5_000_000
BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


def media_type(data: bytes) -> str | None:
    """What kind of picture it is; None when it is none that every model reads."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in BEGINNINGS.items() if data.startswith(start)), None)


def picture(data: bytes, path: str, kind: str, *, sees_images: bool) -> Image:
    """The picture for the model. Raises ToolFailure when it can't see it."""
    if not sees_images:
        raise ToolFailure(f'"{path}" is a picture, and this model does not see pictures.')
    if len(data) > MAX_BYTES:
        size = f"{len(data) / 1_000_000:.1f} MB"
        raise ToolFailure(f'"{path}" is a picture of {size}; at most 5 MB can be shown.')
    return Image(kind, data)
