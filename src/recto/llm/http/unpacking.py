"""Undoes gzip in bounded steps: a small answer never becomes a large one unseen."""

import zlib

PIECE_BYTES = 256 * 1024
GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


class Unpacker:
    """Unpacks a stream of bytes. Raises zlib.error for bytes that are not packed."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(GZIP_OR_ZLIB)
        self._waiting = b""

    @property
    def has_more(self) -> bool:
        """Whether bytes fed before are still to be unpacked."""
        return bool(self._waiting)

    def unpack(self, packed: bytes = b"") -> bytes:
        """The next piece, of at most PIECE_BYTES; empty while too little has come."""
        piece = self._stream.decompress(self._waiting + packed, PIECE_BYTES)
        self._waiting = self._stream.unconsumed_tail
        if self._stream.eof and self._stream.unused_data:
            # Several packed files in a row are one.
            self._waiting = self._stream.unused_data
            self._stream = zlib.decompressobj(GZIP_OR_ZLIB)
        return piece
