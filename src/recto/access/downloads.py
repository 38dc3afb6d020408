"""Model files of this computer: fetched in the background with progress, added by path, removed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import anyio

from recto.access.local_models import FOLDER, ListedFile, LocalFile, load_file_list, place_of
from recto.access.models import Models
from recto.config import ConfigFailure, Home
from recto.llm import DownloadFailed, DownloadRequest, InvalidModelFile, part_of, read_model_file
from recto.supervisor import Supervisor

FileState = Literal["absent", "fetching", "paused", "failed", "ready"]
FetchFile = Callable[[DownloadRequest, Path, Callable[[int], None]], Awaitable[None]]
"""Puts a file of elsewhere at its place; is told of every piece. Raises DownloadFailed."""
Announce = Callable[[], Awaitable[None]]


class FileRefused(Exception):
    """A model file can't be had like that."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class NoSuchFile(FileRefused):
    """There is no model file of that id."""

    def __init__(self, model_id: str) -> None:
        super().__init__(f"There is no local model {model_id!r}.", "Choose one from the list.")


@dataclass(frozen=True, slots=True)
class DownloadState:
    """A model of the list, and how far it is."""

    listed: ListedFile
    state: FileState
    done_bytes: int
    problem: str = ""


@dataclass(slots=True)
class RunningDownload:
    """A fetch under way."""

    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    done_bytes: int = 0
    ended: anyio.Event = field(default_factory=anyio.Event)

    def tell(self, done_bytes: int) -> None:
        """Take note of a piece."""
        self.done_bytes = done_bytes


class LocalModels:
    """The model files of this computer."""

    def __init__(self, home: Home, models: Models, fetch: FetchFile, *, file_list: str) -> None:
        self._home = home
        self._models = models
        self._fetch = fetch
        self._file_list = file_list

    def listed(self) -> tuple[ListedFile, ...]:
        """The models that can be fetched. Raises ConfigFailure."""
        return load_file_list(self._file_list)

    @property
    def folder(self) -> Path:
        """The folder on whose disk fetched files lie."""
        return self._home.folder

    def find(self, list_id: str) -> ListedFile:
        """A model of the list. Raises NoSuchFile."""
        for item in self.listed():
            if item.id == list_id:
                return item
        raise NoSuchFile(list_id)

    def place(self, listed: ListedFile) -> Path:
        """Where a model of the list lies, or will."""
        return place_of(self._home, listed)

    def own(self) -> tuple[LocalFile, ...]:
        """The files that the user has named by their paths."""
        fetched = {item.model_id for item in self.listed()}
        return tuple(
            local_file for local_file in self._models.local_files() if local_file.id not in fetched
        )

    async def fetch(self, listed: ListedFile, tell: Callable[[int], None]) -> None:
        """Fetch a model from where it broke off, and offer it. Raises DownloadFailed."""
        place = self.place(listed)
        if not place.exists():
            wanted = DownloadRequest(listed.url, listed.bytes, listed.sha256)
            await self._fetch(wanted, place, tell)
        path = f"{FOLDER}/{place.name}"
        self._models.add_file(model=listed.id, name=listed.name, path=path)

    def add(self, named: str) -> LocalFile:
        """Offer any GGUF file by its whole path; it stays where it is. Raises FileRefused."""
        path = Path(named).expanduser()
        if not path.is_absolute():
            raise FileRefused(f"{named} is not a whole path.", "Begin with / or ~.")
        try:
            read_model_file(path)
        except InvalidModelFile as failure:
            raise FileRefused(str(failure), "Choose a GGUF file.") from failure
        return self._models.add_own_file(path)

    def remove(self, model_id: str) -> None:
        """Offer a file no longer; one that was fetched is deleted. Raises NoSuchFile."""
        listed = next((item for item in self.listed() if item.model_id == model_id), None)
        if listed is None and model_id not in {
            local_file.id for local_file in self._models.local_files()
        }:
            raise NoSuchFile(model_id)
        self._models.remove_file(model_id)
        if listed is not None:
            place = self.place(listed)
            place.unlink(missing_ok=True)
            part_of(place).unlink(missing_ok=True)


class ModelDownloads:
    """Models that are being fetched in the background."""

    def __init__(self, local: LocalModels, supervisor: Supervisor, announce: Announce) -> None:
        self._local = local
        self._supervisor = supervisor
        self._announce = announce
        self._under_way: dict[str, RunningDownload] = {}
        self._problems: dict[str, str] = {}

    def states(self) -> tuple[DownloadState, ...]:
        """Every model of the list, and how far it is. Raises ConfigFailure."""
        return tuple(self._state(item) for item in self._local.listed())

    def start(self, list_id: str) -> None:
        """Fetch a model, from where it broke off. Raises NoSuchFile."""
        listed = self._local.find(list_id)
        if list_id not in self._under_way:
            # Before any await, so that a second click finds it.
            self._under_way[list_id] = fetching = RunningDownload()
            self._problems.pop(list_id, None)
            self._supervisor.run_once("fetching a model", partial(self._work, listed, fetching))

    async def stop(self, list_id: str) -> None:
        """Stop fetching a model; what has come stays. Raises NoSuchFile."""
        self._local.find(list_id)
        if fetching := self._under_way.get(list_id):
            fetching.scope.cancel()
            await fetching.ended.wait()

    async def stop_if_any(self, list_id: str) -> None:
        """Stop fetching a model, if it is being fetched."""
        if list_id in self._under_way:
            await self.stop(list_id)

    async def _work(self, listed: ListedFile, fetching: RunningDownload) -> None:
        try:
            with fetching.scope:
                await self._local.fetch(listed, fetching.tell)
        except (DownloadFailed, ConfigFailure, OSError) as failure:
            self._problems[listed.id] = str(failure)
        finally:
            del self._under_way[listed.id]
            fetching.ended.set()
        await self._announce()

    def _state(self, listed: ListedFile) -> DownloadState:
        if fetching := self._under_way.get(listed.id):
            return DownloadState(listed, "fetching", fetching.done_bytes)
        place = self._local.place(listed)
        if place.exists():
            return DownloadState(listed, "ready", listed.bytes)
        part = part_of(place)
        have = part.stat().st_size if part.exists() else 0
        if problem := self._problems.get(listed.id):
            return DownloadState(listed, "failed", have, problem)
        return DownloadState(listed, "paused" if have else "absent", have)
