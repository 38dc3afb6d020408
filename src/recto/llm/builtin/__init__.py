"""The built-in model: a small one that runs on this machine, without a key and without a server.

Nothing here loads the engine: that happens in a process of its own, on the first request.
"""

from recto.llm.builtin.builtin import BUILTIN_PROTOCOL, TRAITS, BuiltinModel, lower_builtin
from recto.llm.builtin.installed import MissingRequirement, find_missing_requirement
from recto.llm.builtin.model_file import InvalidModelFile, ModelFile, read_model_file

__all__ = [
    "BUILTIN_PROTOCOL",
    "TRAITS",
    "BuiltinModel",
    "MissingRequirement",
    "ModelFile",
    "InvalidModelFile",
    "find_missing_requirement",
    "lower_builtin",
    "read_model_file",
]
