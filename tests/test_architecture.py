"""House rules that no linter knows. ARCHITECTURE.md tells them to people."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "recto"
MAX_LINES = 600

# Who may not import whom, besides what the floors forbid. A room that is not there yet is listed
# all the same: the rule holds from its first line on.
FORBIDDEN = {
    "server": {"recto.llm", "recto.storage"},
    "agent": {"recto.llm", "recto.storage"},
    "context": {"recto.llm", "recto.storage"},
    "tools": {"recto.llm", "recto.storage"},
}
PURE = ("messages", "agent", "context", "llm/protocols")
IMPURE = {
    "aiohttp",
    "asyncpg",
    "fastapi",
    "http",
    "httpx",
    "socket",
    "sqlalchemy",
    "sqlite3",
    "starlette",
    "subprocess",
    "time",
    "urllib.request",
    "uvicorn",
}

# Each dangerous thing has one place. What is listed behind it may use it; nothing else may.
CHOKE_POINTS = {
    "processes are started": (
        r"^(subprocess|pty|multiprocessing)\b|^os\.(system|popen|fork|forkpty|exec\w*|spawn\w*"
        r"|posix_spawn\w*)$|^asyncio\.(create_)?subprocess",
        # The keeper is a program of its own: it ends what a command left behind.
        {"processes.py", "tools/shell/keeper.py"},
    ),
    "connections are made": (
        r"^(socket|http\.client|urllib\.request|aiohttp|httpx|ftplib|smtplib|requests)\b"
        r"|^asyncio\.open_(unix_)?connection",
        {"app/serving.py", "cli/running.py", "server/listen.py", "llm/transport.py"},
    ),
    "the time is read": (
        r"^time\b|^datetime\.datetime\.(now|utcnow|today)|^datetime\.date\.today",
        {"clock.py"},
    ),
    "names are drawn": (r"^(random|secrets|uuid)\b|^os\.urandom$", {"clock.py", "durable.py"}),
    "SQL is written": (
        r"^(sqlalchemy|sqlite3|aiosqlite|asyncpg|alembic)\b",
        {"storage/", "doctor.py"},
    ),
    "files are replaced": (
        r"^os\.(rename|replace|renames|unlink|remove|rmdir|link|symlink)$|^shutil\.(move|rmtree|copy)",
        {"durable.py", "workspace/", "storage/"},
    ),
    "the browser is opened": (r"^webbrowser\b", {"cli/open.py"}),
}


def sources() -> Iterator[tuple[str, ast.Module]]:
    """Every module, by its path in the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), parse(path)


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(module: ast.Module) -> Iterator[str]:
    """Every module or name that is imported, anywhere in the file."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def used(module: ast.Module) -> Iterator[str]:
    """Every import, and every dotted use such as `os.rename`."""
    yield from imported(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute):
            yield ast.unparse(node)


def room_docstrings() -> dict[str, str]:
    """Every room with the first line of its docstring."""
    doors = [*PACKAGE.glob("*/__init__.py"), *PACKAGE.glob("[a-z]*.py")]
    return {
        (door.parent.name if door.stem == "__init__" else door.stem): (
            ast.get_docstring(parse(door)) or ""
        ).partition("\n")[0]
        for door in doors
    }


def test_architecture_md_describes_each_room_as_its_docstring_does() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    documented = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|$", text, flags=re.MULTILINE))
    assert room_docstrings() == documented


def test_every_room_has_a_floor_in_the_import_contract_and_only_empty_ones_are_bracketed() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers: list[str] = config["tool"]["importlinter"]["contracts"][0]["layers"]
    placed = {room.strip() for layer in layers for room in layer.split("|")}
    assert {room for room in placed if not room.startswith("(")} == set(room_docstrings())


def test_rooms_are_entered_by_the_front_door() -> None:
    """Outside `app`, a room imports `recto.other`, never `recto.other.inside`."""
    rooms = {door.parent.name for door in PACKAGE.glob("*/__init__.py")}
    trespassers = [
        f"{path} -> {node.module}"
        for path, module in sources()
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom)
        and (parts := (node.module or "").split("."))[0] == "recto"
        and len(parts) > 2
        and parts[1] in rooms
        and parts[1] != path.split("/")[0]
        and not path.startswith("app/")
    ]
    assert trespassers == []


def test_doors_and_pure_rooms_import_nothing_they_must_not_know() -> None:
    found = [
        f"{path} -> {name}"
        for path, module in sources()
        for name in imported(module)
        for room, banned in FORBIDDEN.items()
        if path.startswith(f"{room}/") and any(f"{name}.".startswith(f"{one}.") for one in banned)
    ]
    found += [
        f"{path} -> {name}"
        for path, module in sources()
        for name in imported(module)
        if path.startswith(PURE) and any(f"{name}.".startswith(f"{one}.") for one in IMPURE)
    ]
    assert found == []


def test_each_dangerous_thing_has_one_place() -> None:
    found = [
        f"{path} uses {name}, but {what} elsewhere"
        for path, module in sources()
        for name in set(used(module))
        for what, (pattern, places) in CHOKE_POINTS.items()
        if re.search(pattern, name) and not path.startswith(tuple(places))
    ]
    assert found == []


def test_the_choke_point_rule_sees_a_trespasser() -> None:
    module = ast.parse("import os, subprocess\nfrom time import time\nos.rename('a', 'b')")
    names = set(used(module))
    seen = {
        what
        for what, (pattern, _) in CHOKE_POINTS.items()
        if any(re.search(pattern, name) for name in names)
    }
    assert seen == {"processes are started", "the time is read", "files are replaced"}


def test_no_source_file_outgrows_the_ceiling() -> None:
    page = [
        path
        for pattern in ("*.ts", "*.svelte", "*.css")
        for path in (ROOT / "web" / "src").rglob(pattern)
        if path.name != "generated.ts"
    ]
    lengths = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8").count("\n")
        for path in [*PACKAGE.rglob("*.py"), *page]
    }
    assert {path: length for path, length in lengths.items() if length > MAX_LINES} == {}


def test_the_page_renders_no_raw_html() -> None:
    pages = [*(ROOT / "web" / "src").rglob("*.svelte"), *(ROOT / "web" / "src").rglob("*.ts")]
    raw = re.compile(r"\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(")
    shown = [path for path in pages if not path.name.endswith(".test.ts")]
    found = [str(path) for path in shown if raw.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_lock_files_hold_no_addresses() -> None:
    locks = [*ROOT.glob("*.lock"), ROOT / "web" / "package-lock.json"]
    assert len(locks) == 4
    address = re.compile(r"https?://|--index-url|--find-links|\"resolved\"")
    found = [
        f"{lock.name}: {line.strip()}"
        for lock in locks
        for line in lock.read_text(encoding="utf-8").splitlines()
        if address.search(line) and not re.search(r'"(url|funding)":', line)
    ]
    assert found == []
