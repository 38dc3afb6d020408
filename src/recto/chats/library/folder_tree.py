"""Folders in folders: no one lies in itself, and none too deep."""

from collections.abc import Iterator, Mapping

DEEPEST = 6
"""How many folders may lie in one another."""

Parents = Mapping[str, str | None]
"""For each folder the one that it lies in; None is at the top."""


def find_faults(parents: Parents) -> dict[str, str]:
    """What is wrong with the places of folders, in words; empty when all is well."""
    found = {parent: find_fault(parents, parent) for parent in parents}
    return {key: words for key, words in found.items() if words is not None}


def find_fault(parents: Parents, group_id: str) -> str | None:
    """What is wrong with the place of one folder; None when nothing is."""
    way = list(above(parents, group_id))
    top = way[-1] if way else group_id
    if parents[top] is not None:
        return (
            "A folder can't lie in itself."
            if parents[top] in parents
            else f"There is no folder {parents[top]} in this project."
        )
    if len(way) >= DEEPEST:
        return f"Folders lie at most {DEEPEST} deep."
    return None


def above(parents: Parents, group_id: str) -> Iterator[str]:
    """The folders that one lies in, the nearest first; each once, also when they go in a circle."""
    seen = {group_id}
    parent = parents[group_id]
    while parent is not None and parent in parents and parent not in seen:
        yield parent
        seen.add(parent)
        parent = parents[parent]
