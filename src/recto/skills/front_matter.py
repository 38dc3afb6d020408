"""The head of a SKILL.md: YAML, of which only texts and lists of texts are taken.

Nothing in it is made into an object: a value counts as the text that stands there.
"""

from collections.abc import Collection

import yaml

FENCE = "---"
NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
BLOCK_STYLES = frozenset({"|", ">"})
REMEDIES = {
    "mapping values are not allowed here": "a text with a colon in it needs quotes around it",
    "could not find expected ':'": "a key and a colon are expected, such as name: …",
    "found unexpected end of stream": "a quotation or a bracket has no end",
    "found character '\\t' that cannot start any token": "indent with spaces, not with tabs",
    "expected <block end>, but found '<scalar>'": "this does not belong to anything",
}
"""What the loader says of the mistakes that people make, in words that help them."""
Value = str | tuple[str, ...]


class BadFrontMatter(ValueError):
    """The head can't be read; says where and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")


def split_front_matter(text: str) -> tuple[str, str]:
    """The head, and the body. Raises BadFrontMatter."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip() != FENCE:
        raise BadFrontMatter(1, f"the file must begin with a line {FENCE}, then name and more")
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() == FENCE:
            return "\n".join(lines[1:at]), "\n".join(lines[at + 1 :]).strip("\n")
    raise BadFrontMatter(1, f"the head has no end: a second line {FENCE} is missing")


def read_front_matter(head: str, wanted: Collection[str]) -> dict[str, Value]:
    """The values of the wanted keys that are there. Raises BadFrontMatter."""
    found: dict[str, Value] = {}
    seen: set[str] = set()
    root = _compose(head)
    if root is None:
        return found
    if not isinstance(root, yaml.MappingNode):
        raise BadFrontMatter(_line(root), "keys with values are expected, such as name: …")
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            raise BadFrontMatter(_line(key), "a key must be a word, such as name: …")
        if key.value in seen:
            raise BadFrontMatter(_line(key), f"{key.value} appears a second time")
        seen.add(key.value)
        if key.value in wanted:
            found[key.value] = _read_value(value)
    return found


def _compose(head: str) -> yaml.Node | None:
    """The head as a tree in which aliases share what they stand for, so that it can't grow."""
    try:
        return yaml.BaseLoader(head).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or "this can't be read"
        why = REMEDIES.get(problem, f"this is not YAML ({problem})")
        raise BadFrontMatter(mark.line + 2 if mark else 1, why) from error
    except yaml.YAMLError as error:
        raise BadFrontMatter(1, "it has a character that YAML does not allow") from error
    except RecursionError as error:
        raise BadFrontMatter(1, "it is nested too deeply") from error


def _read_value(node: yaml.Node) -> Value:
    if isinstance(node, yaml.SequenceNode):
        return tuple(_read_text(item) for item in node.value)
    return _read_text(node)


def _read_text(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode) or not node.tag.startswith("tag:yaml.org,2002:str"):
        raise BadFrontMatter(_line(node), "a text is expected here, or a list of texts")
    if node.style is None:
        return "" if node.value in NOTHING else node.value
    return node.value.strip("\n") if node.style in BLOCK_STYLES else node.value


def _line(node: yaml.Node) -> int:
    """The number of a node's first line in the file, whose first line is the fence."""
    return node.start_mark.line + 2
