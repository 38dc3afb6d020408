"""Colours of contexts, skills and folders: one palette, and the one that a name gets by itself."""

PALETTE = (
    "#3b82f6",
    "#8b5cf6",
    "#06b6d4",
    "#10b981",
    "#f59e0b",
    "#ef4444",
    "#ec4899",
    "#6366f1",
)


def colour_of(name: str) -> str:
    """The palette colour that belongs to a name: the same name has it everywhere."""
    return PALETTE[sum(ord(item) * place for place, item in enumerate(name, 1)) % len(PALETTE)]
