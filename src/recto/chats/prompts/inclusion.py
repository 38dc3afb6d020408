"""Which tools a chat sends along, as its record keeps it."""

from typing import Any

from recto.context import ToolInclusion
from recto.storage import Chat

INCLUSION = "tools"


def inclusion_of(chat: Chat) -> ToolInclusion:
    """What a chat sends of tools."""
    kept = chat.meta.get(INCLUSION)
    if kept is None:
        return ToolInclusion()
    return ToolInclusion(kept["mode"], tuple(kept["tools"]), kept["forget_after"])


def inclusion_meta(inclusion: ToolInclusion) -> dict[str, Any]:
    """The same, as it stands in a chat's record."""
    return {
        INCLUSION: {
            "mode": inclusion.mode,
            "tools": list(inclusion.tools),
            "forget_after": inclusion.forget_after,
        }
    }
