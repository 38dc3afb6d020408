"""The variables of a Python kernel: name, type, shape and a short look, asked without a trace."""

import ast
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from recto.notebooks.kernels.kernel import Kernel

TIMEOUT_S = 5.0
MAX_NAMES = 500
# One expression, which leaves no name behind. `reprlib` looks at a few items of a large list only.
EXPRESSION = f"""
(lambda names, hidden: __import__("json").dumps([
    [name, type(value).__name__,
     str(tuple(value.shape)) if isinstance(getattr(value, "shape", None), tuple)
     else str(len(value)) if hasattr(type(value), "__len__") else "",
     __import__("reprlib").repr(value)[:200]]
    for name, value in sorted(names.items())
    if not name.startswith("_") and name not in hidden
    and type(value).__name__ not in ("module", "function", "type", "builtin_function_or_method")
][:{MAX_NAMES}]))(dict(globals()), get_ipython().user_ns_hidden)
""".strip().replace("\n", " ")


@dataclass(frozen=True, slots=True)
class Variable:
    """One name of a kernel."""

    name: str
    type: str
    shape: str
    preview: str


async def variables_of(kernel: "Kernel") -> tuple[Variable, ...] | None:
    """The variables; None when the kernel is busy for long, or can't tell. Raises KernelDied."""
    found = await kernel.evaluate(EXPRESSION, timeout_s=TIMEOUT_S)
    if found is None:
        return None
    try:
        rows: Any = json.loads(ast.literal_eval(found))
        return tuple(Variable(*map(str, row)) for row in cast(list[list[Any]], rows))
    except (ValueError, SyntaxError, TypeError, MemoryError):
        return None
