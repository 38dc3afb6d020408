"""What a kernel knows of code that is being written: how a name goes on, and what it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from recto.notebooks.kernels.kernel import Kernel

TIMEOUT_S = 30.0
"""The first question of a kernel reads the sources of what is imported; nothing waits for it."""
MAX_NAMES = 500
MAX_HELP = 20_000
# Where IPython says what each match is; other kernels say it there, too.
TYPES = "_jupyter_types_experimental"


@dataclass(frozen=True, slots=True)
class CodeCompletion:
    """One way in which a name can go on."""

    text: str
    type: str
    """Such as "function"; empty when the kernel does not say it."""


@dataclass(frozen=True, slots=True)
class CodeCompletions:
    """The ways in which a name can go on, and the words of the code that they take the place of."""

    start: int
    end: int
    items: tuple[CodeCompletion, ...]


async def completions_of(kernel: "Kernel", code: str, cursor: int) -> CodeCompletions:
    """How the code can go on at the cursor; nothing while the kernel is busy."""
    asked = {"code": code, "cursor_pos": cursor}
    reply = await kernel.ask("complete_request", asked, timeout_s=TIMEOUT_S)
    start, end = (reply.get(key) for key in ("cursor_start", "cursor_end"))
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= len(code):
        return CodeCompletions(cursor, cursor, ())
    types = {one.get("text"): str(one.get("type", "")) for one in items_of(reply)}
    matches = reply.get("matches")
    names = cast(list[Any], matches) if isinstance(matches, list) else []
    found = dict.fromkeys(name for name in names if isinstance(name, str))
    items = tuple(CodeCompletion(name, type_of(types.get(name, ""))) for name in found)
    return CodeCompletions(start, end, items[:MAX_NAMES])


async def help_of(kernel: "Kernel", code: str, cursor: int) -> str:
    """What stands at the cursor, in the kernel's words, perhaps with colours; empty for nothing."""
    asked = {"code": code, "cursor_pos": cursor, "detail_level": 0}
    reply = await kernel.ask("inspect_request", asked, timeout_s=TIMEOUT_S)
    data = reply.get("data")
    text = cast(Mapping[str, Any], data).get("text/plain") if isinstance(data, dict) else None
    return text[:MAX_HELP] if isinstance(text, str) else ""


def items_of(reply: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What is said of each match."""
    metadata = reply.get("metadata")
    said = cast(Mapping[str, Any], metadata).get(TYPES) if isinstance(metadata, dict) else None
    items = cast(list[Any], said) if isinstance(said, list) else []
    return [cast(Mapping[str, Any], item) for item in items if isinstance(item, dict)]


def type_of(said: str) -> str:
    """What a match is; IPython says this of what it does not know."""
    return "" if said == "<unknown>" else said
