"""The pages of Word documents as they were last told: what is other since then is told alone."""

from collections import OrderedDict

from recto.word import KeptBlock, ShownPage

KEPT_PAGES = 8
KEPT_FORMS = 2
Place = tuple[str, str]
"""A document: its project, and its path."""


class KeptWordPages:
    """The newest page of each document, and those before it that somebody may still show."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Place, tuple[tuple[str, ShownPage], ...]] = OrderedDict()
        self._gone: dict[Place, tuple[KeptBlock, ...]] = {}

    def get(self, place: Place, digest: str) -> ShownPage | None:
        """The page of a document with this hash."""
        forms = self._pages.get(place, ())
        return next((page for known, page in forms if known == digest), None)

    def newest(self, place: Place) -> tuple[str, ShownPage] | None:
        """The page that was kept last, and the hash of its document."""
        return next(iter(self._pages.get(place, ())), None)

    def keep(self, place: Place, digest: str, page: ShownPage) -> None:
        """Keep a document's newest page."""
        older = [item for item in self._pages.get(place, ()) if item[0] != digest]
        self._pages[place] = ((digest, page), *older[: KEPT_FORMS - 1])
        self._pages.move_to_end(place)
        while len(self._pages) > KEPT_PAGES:
            oldest, _ = self._pages.popitem(last=False)
            self._gone.pop(oldest, None)

    def gone(self, place: Place) -> tuple[KeptBlock, ...]:
        """What was taken away from a document: it can be put back as it was."""
        return self._gone.get(place, ())

    def keep_gone(self, place: Place, gone: tuple[KeptBlock, ...]) -> None:
        """Keep what was taken away from a document."""
        self._gone[place] = gone


def differing(before: ShownPage, after: ShownPage) -> tuple[int, int]:
    """The blocks of a page that are others on another one: from, and to."""
    most = min(len(before.blocks), len(after.blocks))
    start = next((at for at in range(most) if before.blocks[at] != after.blocks[at]), most)
    same = next(
        (at for at in range(most - start) if before.blocks[-1 - at] != after.blocks[-1 - at]),
        most - start,
    )
    return start, len(before.blocks) - same
