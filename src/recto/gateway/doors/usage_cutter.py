"""Takes a count out of a stream that its client did not ask for."""

import msgspec


class _Chunk(msgspec.Struct):
    choices: list[object] | None = None
    usage: object = None


_CHUNK = msgspec.json.Decoder(_Chunk)


class UsageCutter:
    """Takes out the count that the gateway asked for and the client did not."""

    def __init__(self) -> None:
        self._rest = b""

    def cut(self, data: bytes) -> bytes:
        """The whole frames so far, without the one that only counts."""
        if not self._rest and b"\r" not in data and data.endswith(b"\n\n"):
            return self._cut_whole(data)
        *frames, self._rest = (self._rest + data).replace(b"\r\n", b"\n").split(b"\n\n")
        return b"".join(frame + b"\n\n" for frame in frames if not self._is_count(frame))

    def _cut_whole(self, data: bytes) -> bytes:
        """Frames that are whole; only those that may be the count are looked at."""
        place = data.find(b'"usage"')
        while place >= 0:
            before = data.rfind(b"\n\n", 0, place)
            start = 0 if before < 0 else before + 2
            end = data.find(b"\n\n", place) + 2
            if self._is_count(data[start : end - 2]):
                data, end = data[:start] + data[end:], start
            place = data.find(b'"usage"', end)
        return data

    def end(self) -> bytes:
        """What is left at the end."""
        rest, self._rest = self._rest, b""
        return rest

    def _is_count(self, frame: bytes) -> bool:
        if b'"usage"' not in frame:
            return False
        if frame.startswith(b"data:") and b"\n" not in frame:
            data = frame[5:]
        else:
            lines = [line for line in frame.split(b"\n") if line.startswith(b"data:")]
            data = b"".join([line.removeprefix(b"data:") for line in lines])
        try:
            chunk = _CHUNK.decode(data)
        except msgspec.DecodeError:
            return False
        return chunk.choices == [] and chunk.usage is not None
