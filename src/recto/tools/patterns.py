"""Patterns of rules and lists: `*` stands for anything."""


def like(pattern: str, text: str) -> bool:
    """Whether a text has the form of a pattern, in which `*` stands for anything."""
    first, *more = pattern.split("*")
    if not more:
        return pattern == text
    if not text.startswith(first) or not text.endswith(more[-1]):
        return False
    at, end = len(first), len(text) - len(more[-1])
    for piece in more[:-1]:
        place = text.find(piece, at, max(at, end))
        if place < 0:
            return False
        at = place + len(piece)
    return at <= end
