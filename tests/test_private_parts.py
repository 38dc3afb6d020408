"""Inner parts of other people's packages: their next version may change them without a word.

So each such package is held below its next version, and `pyproject.toml` says which file needs it.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "recto"
USERS = {
    "llm/http/http_answers.py": "aiohttp",
    "server/listen.py": "uvicorn",
    "storage/prepared.py": "sqlalchemy",
    "storage/sqlite_connection.py": "aiosqlite",
    "tokenizer/cut.py": "bpe-openai",
    "word/ooxml/names.py": "lxml",
    "workspace/watch.py": "watchfiles",
}
OF_NAMED_TUPLES = "_replace"
"""Part of their public face: it begins with a line only because fields may have any name."""
PRIVATE = re.compile(r"_[a-zA-Z]\w*")
OWN = {"recto"} | set(sys.stdlib_module_names)
PACKAGES = packages_distributions().keys() - OWN


def test_packages_whose_inner_parts_are_used_are_held_below_their_next_version() -> None:
    found: dict[str, set[str]] = {}
    for room in PACKAGE.iterdir():
        files = [room, *room.rglob("*.py")]
        modules = {
            path: nodes_of(path.read_text(encoding="utf-8"))
            for path in files
            if path.suffix == ".py"
        }
        own = {name for nodes in modules.values() for name in own_names(nodes)}
        for path, nodes in modules.items():
            if names := foreign_private_names(nodes, own):
                found[path.relative_to(PACKAGE).as_posix()] = names
    assert sorted(found) == sorted(USERS), found
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    asked = tomllib.loads(text)["project"]["dependencies"]
    for path, package in USERS.items():
        [asks] = [item for item in asked if re.match(rf"{package}\b[^-]", item)]
        assert "<" in asks, f"{path} uses inner parts of {package}: cap it."
        assert f'"{asks}", # {path} ' in text, f"Say beside {package} that {path} needs its cap."


def test_the_rule_sees_each_way_to_reach_inner_parts() -> None:
    ways = {
        "import aiohttp._websocket": {"aiohttp._websocket"},
        "from aiohttp import _websocket": {"aiohttp._websocket"},
        "from aiohttp._websocket import reader": {"aiohttp._websocket.reader"},
        'load("aiohttp._websocket")': {"aiohttp._websocket"},
        "response.content._buffer.clear()": {"_buffer"},
        "class Mine(Theirs):\n def go(self): return self._theirs": {"_theirs"},
        "class Mine:\n def go(self): self._own = 1; return self._own": set[str](),
        "class Mine:\n _own: int\n def go(self): return self._own": set[str](),
        "import os\nos._exit(0)": set[str](),
        "from recto.storage import _inner": set[str](),
        "value.__class__": set[str](),
    }
    modules = {code: nodes_of(code) for code in ways}
    found = {
        code: foreign_private_names(nodes, {*own_names(nodes)}) for code, nodes in modules.items()
    }
    assert found == ways


def nodes_of(code: str) -> Sequence[ast.AST]:
    """Everything in a file, looked up once for all that is asked of it."""
    return list(ast.walk(ast.parse(code)))


def foreign_private_names(nodes: Sequence[ast.AST], own: set[str]) -> set[str]:
    """The private names of a file that its room does not give."""
    attributes = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and is_private(node.attr)
        and node.attr not in own
        and node.attr != OF_NAMED_TUPLES
        and not (isinstance(node.value, ast.Name) and node.value.id in OWN)
    }
    return attributes | set(private_imports(nodes))


def own_names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Every name that the file itself gives."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def private_imports(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Every private module or name of another package that is imported, or named in a text."""
    for node in nodes:
        names: list[str] = []
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom():
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            case ast.Constant(value=str(text)) if re.fullmatch(r"[\w.]+", text):
                names = [text]
            case _:
                pass
        for name in names:
            package, *inner = name.split(".")
            if package in PACKAGES and any(map(is_private, inner)):
                yield name


def is_private(name: str) -> bool:
    """Whether a name says that it is nobody else's business."""
    return PRIVATE.fullmatch(name) is not None
