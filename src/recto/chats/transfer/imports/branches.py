"""The path through a tree of messages: from its beginning to the message that was shown last."""

from collections.abc import Mapping


def path_to(leaf: str, parents: Mapping[str, str]) -> list[str]:
    """The keys from the beginning to `leaf`. A tree that bites its own tail is cut there."""
    path: list[str] = []
    seen: set[str] = set()
    while leaf in parents and leaf not in seen:
        path.append(leaf)
        seen.add(leaf)
        leaf = parents[leaf]
    return path[::-1]


def latest_leaf(parents: Mapping[str, str], times: Mapping[str, int]) -> str:
    """The latest message that nothing follows; of equal ones, the last in the file."""
    inner = set(parents.values())
    leaves = [key for key in parents if key not in inner] or list(parents)
    order = {key: number for number, key in enumerate(parents)}
    return max(leaves, key=lambda key: (times.get(key, 0), order[key]), default="")
