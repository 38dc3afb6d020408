"""What a document says in its front matter: its bibliography, its style."""

import posixpath
import re

import yaml

HEAD = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE
)
NAME = "bibliography"
LONGEST = 20_000


def bibliographies(path: str, text: str) -> tuple[str, ...]:
    """The files that a document names, as paths of the folder; what leads out of it is left out.

    A head that is no YAML names none.
    """
    folder = posixpath.dirname(path)
    named = front_matter(text, NAME)
    found = [posixpath.normpath(posixpath.join(folder, name)) for name in named if name]
    return tuple(item for item in found if not item.startswith(("/", "..")))


def front_matter(text: str, name: str) -> tuple[str, ...]:
    """What the head of a text says under a name: one text, or those of a list."""
    head = HEAD.match(text[:LONGEST])
    if head is None:
        return ()
    try:
        root = yaml.BaseLoader(head[1]).get_single_node()
    except (yaml.YAMLError, RecursionError):
        return ()
    if not isinstance(root, yaml.MappingNode):
        return ()
    found: list[str] = []
    for key, value in root.value:
        if isinstance(key, yaml.ScalarNode) and key.value == name:
            nodes = value.value if isinstance(value, yaml.SequenceNode) else [value]
            found += [node.value for node in nodes if isinstance(node, yaml.ScalarNode)]
    return tuple(found)
