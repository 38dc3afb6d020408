"""A file to be fetched: where it is, how it is known, and why it could not be had."""

from dataclasses import dataclass
from pathlib import Path


class DownloadFailed(Exception):
    """A file could not be fetched, and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class DownloadRequest:
    """A file somewhere else, and how it is known to be the right one."""

    url: str
    bytes: int
    sha256: str


def part_of(place: Path) -> Path:
    """Where the bytes of an unfinished file lie."""
    return place.with_name(f"{place.name}.part")
