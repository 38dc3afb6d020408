"""What is kept of servers over a restart: on or off, what was approved, what was seen of tools."""

from collections.abc import Callable
from threading import Lock
from typing import Any

import anyio.to_thread
import msgspec

from recto.config import ConfigFailure, Home
from recto.mcp.definitions import ToolDefinition


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
    approved: Approved | None = None
    declined: str = ""
    """The digest of what a person said no to."""
    seen: dict[str, ToolDefinition] = {}
    """Its tools as they were when a person last agreed to them."""
    instructions: str = ""
    """What it told at the last connection."""


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
        self._changing = Lock()
        self._found: RecordsFile | None = None

    def get(self, root: str, name: str) -> ServerRecord:
        """What is kept of a server; of one that is new, nothing. Raises ConfigFailure."""
        for record in self._file().servers:
            if (record.root, record.name) == (root, name):
                return record
        return ServerRecord(name, root)

    def files(self, root: str) -> tuple[str, ...]:
        """Which files of other programs the user wants read in a folder. Raises ConfigFailure."""
        return tuple(self._file().files.get(root, ()))

    async def change(
        self, root: str, name: str, change: Callable[[ServerRecord], ServerRecord]
    ) -> ServerRecord:
        """Keep something else of a server. Raises ConfigFailure."""

        def work(found: RecordsFile) -> ServerRecord:
            old = self.get(root, name)
            new = change(old)
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
            with self._changing:
                found = self._file()
                result = work(found)
                data = msgspec.json.format(msgspec.json.encode(found), indent=1)
                self._home.replace(self._home.mcp_records_file, data + b"\n")
                return result

        return await anyio.to_thread.run_sync(write)

    def _file(self) -> RecordsFile:
        if self._found is None:
            self._found = self._read()
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
