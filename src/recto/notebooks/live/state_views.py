"""How a live notebook stands, as pages are told: its kernel, what runs, what is asked."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recto.notebooks.kernels.execution import InputRequest
from recto.notebooks.kernels.outputs import CellOutputs

if TYPE_CHECKING:
    from recto.notebooks.kernels.kernels import KernelStatus


def kernel_view(status: "KernelStatus | None") -> dict[str, Any] | None:
    """A kernel, or that there is none."""
    if status is None:
        return None
    return {
        "name": status.name,
        "title": status.title,
        "state": status.state,
        "whyDead": status.why_dead,
        "isKept": status.is_kept,
        "rights": status.rights,
    }


def running_views(
    running: Mapping[str, tuple[CellOutputs, float, str]], now: float
) -> list[dict[str, Any]]:
    """The cells that run: who ran each, and for how long it has run."""
    return [
        {"cell": cell_id, "by": by, "seconds": now - since}
        for cell_id, (_, since, by) in running.items()
    ]


def asked_view(cell_id: str, request: InputRequest) -> dict[str, Any]:
    """The line that a running cell wants."""
    return {"cell": cell_id, "prompt": request.prompt, "isPassword": request.is_password}
