"""What is kept of servers over a restart: on or off, what was approved, what was seen of tools."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio.to_thread
import msgspec

from recto.config import ConfigFailure, Home
from recto.mcp.definitions import ToolDefinition, shape_of
from recto.mcp.file_locks import locked


class Approved(msgspec.Struct, frozen=True):
    """A command or address that a person agreed to."""

    digest: str
    lines: list[str]
    at_ms: int


class ServerRecord(msgspec.Struct, frozen=True):
    """What is kept of one server."""

    name: str
    root: str = ""
    is_on: bool = True
    in_documents: bool = False
    """Whether the document agent gets its tools, too."""
    trusts_words: bool = False
    """Whether changed words of its tools need not be seen by a person."""
    app_origins: list[str] = []
    """What its apps may reach, as a person agreed."""
    approved: Approved | None = None
    declined: str = ""
    """The digest of what a person said no to."""
    seen: dict[str, ToolDefinition] = {}
    """Its tools as they were when a person last agreed to them."""
    instructions: str = ""
    """What it told at the last connection."""
    icon: str = ""
    discovered: dict[str, Any] | None = None
    """What discovery told, if the server is of a revision that has it."""
    discovered_at: str = ""
    """The digest of the command or address that told it."""


class RecordsFile(msgspec.Struct):
    """The file as it is written."""

    version: int = 1
    servers: list[ServerRecord] = []
    files: dict[str, list[str]] = {}
    """Which files of other programs are read, by folder."""


class ServerRecords:
    """The records of all servers, in one file of the home."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._found = RecordsFile()
        self._read_at: object = None

    def get(self, root: str, name: str) -> ServerRecord:
        """What is kept of a server; of one that is new, nothing. Raises ConfigFailure."""
        return record_in(self._file(), root, name)

    def files(self, root: str) -> tuple[str, ...]:
        """Which files of other programs the user wants read in a folder. Raises ConfigFailure."""
        return tuple(self._file().files.get(root, ()))

    async def change(
        self, root: str, name: str, change: Callable[[ServerRecord], ServerRecord]
    ) -> ServerRecord:
        """Keep something else of a server. Raises ConfigFailure."""

        def work(found: RecordsFile) -> ServerRecord:
            new = change(record_in(found, root, name))
            rest = [item for item in found.servers if (item.root, item.name) != (root, name)]
            found.servers = [*rest, new]
            return new

        return await self._changed(work)

    async def forget(self, root: str, name: str) -> None:
        """Keep nothing of a server any more. Raises ConfigFailure."""

        def work(found: RecordsFile) -> None:
            found.servers = [
                item for item in found.servers if (item.root, item.name) != (root, name)
            ]

        await self._changed(work)

    async def read_file(self, root: str, file: str, *, wanted: bool) -> None:
        """Say whether a file of another program is read. Raises ConfigFailure."""

        def work(found: RecordsFile) -> None:
            rest = [item for item in found.files.get(root, []) if item != file]
            found.files[root] = sorted([*rest, file]) if wanted else rest

        await self._changed(work)

    async def _changed(self, work: Callable[[RecordsFile], Any]) -> Any:
        def write() -> Any:
            with locked(self._home.mcp_records_file):
                found = self._read()
                result = work(found)
                data = msgspec.json.format(msgspec.json.encode(found), indent=1)
                self._home.replace(self._home.mcp_records_file, data + b"\n")
                return result

        return await anyio.to_thread.run_sync(write)

    def _file(self) -> RecordsFile:
        """The file as it is now; another Recto may have changed it."""
        now = stamp_of(self._home.mcp_records_file)
        if now != self._read_at:
            self._found, self._read_at = self._read(), now
        return self._found

    def _read(self) -> RecordsFile:
        file = self._home.mcp_records_file
        try:
            return msgspec.json.decode(file.read_bytes(), type=RecordsFile)
        except FileNotFoundError:
            return RecordsFile()
        except (OSError, msgspec.DecodeError) as error:
            raise ConfigFailure(
                f"{file} can't be read: {error}.", "Remove it; Recto will ask again."
            ) from error


def record_in(found: RecordsFile, root: str, name: str) -> ServerRecord:
    """What a file keeps of a server; of one that is new, nothing."""
    for record in found.servers:
        if (record.root, record.name) == (root, name):
            return record
    return ServerRecord(name, root)


def stamp_of(file: Path) -> object:
    """What is another one when the file was replaced."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return "none"
    return found.st_ino, found.st_mtime_ns, found.st_size


def learned(record: ServerRecord, listed: tuple[ToolDefinition, ...]) -> dict[str, ToolDefinition]:
    """The tools that count as seen by a person, with those that are new or whose change counts not.

    What a server offers for the first time came with its approval; what changes later did not.
    """
    seen = dict(record.seen)
    for tool in listed:
        known = seen.get(tool.name)
        if known is None or (record.trusts_words and shape_of(known) == shape_of(tool)):
            seen[tool.name] = tool
    return seen
