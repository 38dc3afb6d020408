"""Addresses that hold the data itself: `data:image/png;base64,…`."""

import binascii
from base64 import b64decode, b64encode


def write_data_url(media_type: str, data: bytes) -> str:
    """Bytes as an address."""
    return f"data:{media_type};base64,{b64encode(data).decode()}"


def read_data_url(url: str) -> tuple[str, bytes]:
    """The media type and the bytes. Raises ValueError with words."""
    head, comma, data = url.partition(",")
    media_type, _, coding = head.removeprefix("data:").rpartition(";")
    if not comma or coding != "base64":
        raise ValueError("A data URL must look like data:image/png;base64,…")
    try:
        return media_type, b64decode(data, validate=True)
    except binascii.Error as error:
        raise ValueError(f"A data URL holds broken base64: {error}.") from error
