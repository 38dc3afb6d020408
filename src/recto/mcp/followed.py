"""Which resources of a server are followed, and which have changed since they were read."""

import anyio

MOST = 100
"""The resources that one server is asked to follow; the longest ago drop out."""


class FollowedResources:
    """What a server is asked to tell the changes of."""

    def __init__(self) -> None:
        self._fresh: dict[str, bool] = {}
        self.moved = anyio.Event()
        """Set when others are followed than before."""

    @property
    def uris(self) -> tuple[str, ...]:
        """The resources that are followed."""
        return tuple(self._fresh)

    def follow(self, uri: str) -> None:
        """It is about to be read, and followed from now on."""
        is_new = uri not in self._fresh
        self._fresh.pop(uri, None)
        self._fresh[uri] = True
        if len(self._fresh) > MOST:
            del self._fresh[next(iter(self._fresh))]
        if is_new:
            moved, self.moved = self.moved, anyio.Event()
            moved.set()

    def change(self, uri: str) -> None:
        """The server says that it is another one now."""
        if uri in self._fresh:
            self._fresh[uri] = False

    def is_fresh(self, uri: str) -> bool:
        """Whether it is known to be what was read last."""
        return self._fresh.get(uri, False)

    def doubt(self) -> None:
        """The connection is over: what changes meanwhile is not told."""
        self._fresh = dict.fromkeys(self._fresh, False)
