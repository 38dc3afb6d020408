"""The built-in model: a small one that runs on this machine, without a key and without a server.

Nothing here loads the engine: that happens in a process of its own, on the first request.
"""

from recto.llm.builtin.builtin import SPEAKS, TRAITS, BuiltinModel, lowered
from recto.llm.builtin.installed import Lack, find_lack
from recto.llm.builtin.model_file import ModelFile, NoModel, read_model_file

__all__ = [
    "SPEAKS",
    "TRAITS",
    "BuiltinModel",
    "Lack",
    "ModelFile",
    "NoModel",
    "find_lack",
    "lowered",
    "read_model_file",
]
