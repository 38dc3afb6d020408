"""Models that run on this computer besides the built-in one: a list to fetch from, and any file.

A file stands in models.json like every other model, with its path.
"""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated

from pydantic import Field

from recto.access.json_file import JsonSection, load_json, parse_json
from recto.access.models_file import BUILTIN_ID, Address, ModelEntry, ModelsFile, Words
from recto.config import ConfigFailure, Home

FOLDER = "models"
"""Where in the Recto home fetched files lie."""
MAX_OUTPUT = 2048
ModelId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,59}$")]


class ListedFile(JsonSection):
    """A model that can be fetched: where, how large, under which licence, and how it is known."""

    id: ModelId
    name: Words
    about: str = ""
    bytes: Annotated[int, Field(gt=0)]
    memory_bytes: Annotated[int, Field(gt=0)]
    """What it takes while it runs."""
    licence: Words
    page: Address | None = None
    """Where people read about it."""
    url: Address
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

    @property
    def model_id(self) -> str:
        """What it is called among all models."""
        return f"{BUILTIN_ID}/{self.id}"


class FileList(JsonSection):
    """The models that can be fetched."""

    models: list[ListedFile] = []


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A model file that is offered."""

    id: str
    name: str
    path: Path


def load_file_list(file: str = "") -> tuple[ListedFile, ...]:
    """The list that came with Recto, or one of the user's in the same form."""
    if not file:
        data = resources.files("recto.access") / "data" / "local_models.json"
        return tuple(parse_json(data.read_text(encoding="utf-8"), data.name, FileList).models)
    path = Path(file).expanduser()
    if not path.exists():
        words = f"The list of models {path} is not there."
        raise ConfigFailure(words, "Name another one in settings.toml, or none.")
    return tuple(load_json(path, FileList).models)


def place_of(home: Home, listed: ListedFile) -> Path:
    """Where a fetched file lies."""
    return home.folder / FOLDER / f"{listed.id}.gguf"


def local_files(home: Home, file: ModelsFile) -> tuple[LocalFile, ...]:
    """The files that are offered."""
    return tuple(
        LocalFile(model.id, model.name, home.folder / model.path)
        for model in file.models
        if model.path
    )


def with_file(file: ModelsFile, *, model: str, name: str, path: str) -> ModelsFile:
    """The models with a file, in place of one of the same id."""
    entry = ModelEntry(
        id=f"{BUILTIN_ID}/{model}",
        name=name,
        provider=BUILTIN_ID,
        model=model,
        max_output=MAX_OUTPUT,
        path=path,
    )
    others = [item for item in file.models if item.id != entry.id]
    return file.model_copy(update={"models": [*others, entry]})


def without_file(file: ModelsFile, model_id: str) -> ModelsFile:
    """The models without a file."""
    return file.model_copy(
        update={
            "models": [model for model in file.models if model.id != model_id],
            "default": None if file.default == model_id else file.default,
        }
    )


def name_of(path: Path) -> str:
    """A short id made of a file's name."""
    plain = "".join(
        item if item.isascii() and item.isalnum() else "-" for item in path.stem.lower()
    )
    return "-".join(part for part in plain.split("-") if part)[:60] or "model"
