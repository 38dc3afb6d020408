"""House rules that no linter knows. ARCHITECTURE.md tells them to people."""

import ast
import re
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "recto"
MAX_LINES = {".py": 400, ".ts": 600, ".svelte": 600, ".css": 600}
MAX_FILES = 30
GENERATED = {ROOT / "web" / "src" / "api" / name for name in ("generated.ts", "gateway.ts")}

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
        # Programs of their own: the keeper ends what a command left behind, confine.py gives up
        # its rights and becomes the command, first.py becomes the kernel in a sandbox.
        {
            "processes/programs.py",
            "processes/keeper.py",
            "processes/confine.py",
            "processes/first.py",
        },
    ),
    "connections are made": (
        r"^(socket|http\.client|urllib\.request|aiohttp|httpx2?|ftplib|smtplib|requests|zmq)\b"
        r"|^asyncio\.open_(unix_)?connection",
        {
            "app/gateway.py",
            "app/gateway_workers.py",
            "app/server.py",
            "cli/running_server.py",
            "gateway/openid_connection.py",
            "server/listen.py",
            "llm/http/transport.py",
            "llm/http/http_answers.py",
            # What goes wrong with a connection, not connecting.
            "llm/http/http_faults.py",
            "llm/http/direct_connection.py",
            "research/connection.py",
            "research/fetch.py",
            "notebooks/kernels/channels.py",
            # A socket in a kernel's private folder, by which Recto finds one again that was kept.
            "notebooks/kernels/keeper_connection.py",
            "processes/keeper.py",
            # MCP servers at addresses: the transport, what it fails with, its tokens.
            "mcp/http.py",
            "mcp/signing_in/oauth.py",
            "mcp/session.py",
        },
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
        # The keeper takes the private folder of its kernel away when nobody else is left to.
        {"durable.py", "workspace/", "storage/", "processes/keeper.py"},
    ),
    "the browser is opened": (r"^webbrowser\b", {"cli/open.py"}),
}

# What runs beside the requests is begun by the supervisor, so that it can't end the program. These
# begin tasks of their own, and why no more than one request, turn or call ends with them.
OWN_TASKS = {
    "supervisor.py": "the supervisor itself",
    "app/server.py": "the server itself, awaited before Recto ends",
    "app/services.py": "the task group that the supervisor works with",
    "word/waiting.py": "starts one process ahead, awaited when the server ends",
    "app/gateway_services.py": "the task group that the supervisor works with",
    "cli/notebook.py": "the task group that the supervisor of one command works with",
    "app/headless.py": "the thread of a command that ends with it",
    "app/mcp_stdio.py": "the Recto of a command, which ends with it",
    "processes/programs.py": "starts a program and reads its errors; ended with the program",
    "storage/shielded.py": "awaited by the caller",
    "agent/emitter.py": "awaited by the caller",
    "agent/call_runner.py": "the calls of one step, awaited by the turn",
    "access/budget.py": "awaited by the caller",
    "storage/grouped_writes.py": "commits what its callers wait for, and ends with the last of it",
    "access/own_servers.py": "asks several addresses for one request, and ends with it",
    "chats/turns/runner.py": "writes one turn's words, and ends with the turn",
    "chats/turns/transcript.py": "one commit beside a turn, awaited by its next one",
    "chats/turns/queue.py": "listens for the stop of one turn, and ends with the turn",
    "server/many_answers.py": "asks for the parts of one answer, and ends with it",
    "projects/file_counts.py": "reads ahead for one request, and ends with it",
    "notebooks/kernels/kernel.py": "reads one kernel's channels, and ends with the kernel",
    "notebooks/live/questions.py": "waits for one line of input, and ends with it",
    "tools/shell/execution.py": "guards one command, and ends with it",
    "llm/builtin/worker.py": "a program of its own",
    "mcp/stdio.py": "reads and writes for one server, and ends with its connection",
    "mcp/session.py": "hears of changed lists of one server, and ends with its connection",
    "mcp/signing_in/sign_in_task.py": "asks a person, and ends with the sign-in or answer",
    "mcp/asking/first_opened.py": "asks a person, and ends with the answer",
    "mcp/servers.py": "waits for several servers for one turn, or for the end of all",
    "app/mcp_commands.py": "the task group that a command's supervisor works with",
    "gateway/doors/client_stream.py": "one answer to a client, and ends with it",
    "server/event_stream.py": "one stream to a page",
    "server/sockets.py": "one socket of a page",
    "server/keep_alive.py": "one streamed answer",
    "server/routes/documents/documents.py": "one socket of a page",
    "server/routes/models/ai.py": "one request",
    "server/routes/documents/notebooks.py": "one socket of a page",
}
TASK_STARTS = re.compile(
    r"(^|\.)(create_task|ensure_future|create_task_group|TaskGroup|start_soon|Thread"
    r"|run_coroutine_threadsafe|start_blocking_portal)$"
)

# Two public classes of one name make a search useless. These may share theirs, and why.
WIRE = "llm/protocols/"
"""A provider's own words: each package is a namespace, named as the provider's documents do.
Within one, a name is used once."""
SCHEMAS = "server/schemas/"
"""The JSON of a thing may be called as the thing itself, of which there is one elsewhere."""


@dataclass(frozen=True, slots=True)
class Source:
    """What the rules ask of one module."""

    path: str
    """In the package."""
    imports: frozenset[str]
    """Every module or name that is imported, anywhere in the file."""
    doors: frozenset[str]
    """The modules that something is imported from."""
    uses: frozenset[str]
    """Every import, and every dotted use such as `os.rename`."""
    calls: frozenset[str]
    classes: tuple[str, ...]


@cache
def sources() -> tuple[Source, ...]:
    """Every module: each is read once, for all rules."""
    return tuple(
        source(path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    )


def source(path: str, text: str) -> Source:
    """What the rules ask of this text."""
    nodes = list(ast.walk(ast.parse(text)))
    origins = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    imports = {
        *(alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names),
        *(f"{node.module}.{alias.name}" for node in origins for alias in node.names),
    }
    return Source(
        path,
        frozenset(imports),
        frozenset(node.module or "" for node in origins),
        frozenset(imports | {dotted(node) for node in nodes if isinstance(node, ast.Attribute)}),
        frozenset(dotted(node.func) for node in nodes if isinstance(node, ast.Call)),
        tuple(node.name for node in nodes if isinstance(node, ast.ClassDef)),
    )


def dotted(node: ast.expr) -> str:
    """An expression as it is written. Nearly all are names with dots, for which this is quick."""
    names: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        names.append(inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name):
        return ast.unparse(node)
    return ".".join([inner.id, *reversed(names)])


def room_docstrings() -> dict[str, str]:
    """Every room with the first line of its docstring."""
    doors = [*PACKAGE.glob("*/__init__.py"), *PACKAGE.glob("[a-z]*.py")]
    return {
        (door.parent.name if door.stem == "__init__" else door.stem): (
            ast.get_docstring(ast.parse(door.read_text(encoding="utf-8"))) or ""
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
        f"{source.path} -> {door}"
        for source in sources()
        for door in source.doors
        if (parts := door.split("."))[0] == "recto"
        and len(parts) > 2
        and parts[1] in rooms
        and parts[1] != source.path.split("/")[0]
        and not source.path.startswith("app/")
    ]
    assert trespassers == []


def test_doors_and_pure_rooms_import_nothing_they_must_not_know() -> None:
    found = [
        f"{source.path} -> {name}"
        for source in sources()
        for name in source.imports
        for room, banned in FORBIDDEN.items()
        if source.path.startswith(f"{room}/")
        and any(f"{name}.".startswith(f"{item}.") for item in banned)
    ]
    found += [
        f"{source.path} -> {name}"
        for source in sources()
        for name in source.imports
        if source.path.startswith(PURE)
        and any(f"{name}.".startswith(f"{item}.") for item in IMPURE)
    ]
    assert found == []


def test_each_dangerous_thing_has_one_place() -> None:
    found = [
        f"{source.path} uses {name}, but {what} elsewhere"
        for source in sources()
        for name in source.uses
        for what, (pattern, places) in CHOKE_POINTS.items()
        if re.search(pattern, name) and not source.path.startswith(tuple(places))
    ]
    assert found == []


def test_the_choke_point_rule_sees_a_trespasser() -> None:
    text = "import os, subprocess\nfrom time import time\nos.rename('a', 'b')"
    names = source("trespasser.py", text).uses
    seen = {
        what
        for what, (pattern, _) in CHOKE_POINTS.items()
        if any(re.search(pattern, name) for name in names)
    }
    assert seen == {"processes are started", "the time is read", "files are replaced"}


def test_background_work_is_begun_by_the_supervisor_alone() -> None:
    # `Thread` in `server/` is a conversation in the margin.
    threads = {"server/routes/documents/threads.py"}
    found = {
        source.path
        for source in sources()
        if any(TASK_STARTS.search(call) for call in source.calls)
    }
    assert found - threads == set(OWN_TASKS)


def test_no_two_public_classes_have_one_name() -> None:
    places: dict[str, list[str]] = {}
    for source in sources():
        for name in source.classes:
            if not name.startswith(("_", "Test")):
                places.setdefault(name, []).append(source.path)
    shared = {
        name: found
        for name, found in places.items()
        if len([path for path in found if not path.startswith((WIRE, SCHEMAS))]) > 1
        or len([path for path in found if path.startswith(SCHEMAS)]) > 1
        or len({Path(path).parent for path in found if path.startswith(WIRE)})
        < len([path for path in found if path.startswith(WIRE)])
    }
    assert shared == {}


def source_files() -> list[Path]:
    """The files of the program and of the page that people write."""
    page = [path for kind in MAX_LINES for path in (ROOT / "web" / "src").rglob(f"*{kind}")]
    return [path for path in [*PACKAGE.rglob("*.py"), *page] if path not in GENERATED]


def test_no_source_file_outgrows_the_ceiling() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): length
        for path in source_files()
        if (length := path.read_text(encoding="utf-8").count("\n")) > MAX_LINES[path.suffix]
    }
    assert found == {}


def test_no_folder_outgrows_the_ceiling() -> None:
    folders = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for path in source_files()
        if not path.name.endswith(".test.ts") and "migrations" not in path.parts
    )
    assert {folder: files for folder, files in folders.items() if files > MAX_FILES} == {}


def test_the_page_renders_no_raw_html() -> None:
    pages = [*(ROOT / "web" / "src").rglob("*.svelte"), *(ROOT / "web" / "src").rglob("*.ts")]
    raw = re.compile(r"\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(")
    shown = [path for path in pages if not path.name.endswith(".test.ts")]
    found = [str(path) for path in shown if raw.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_lock_files_hold_no_addresses() -> None:
    npm = [ROOT / place / "package-lock.json" for place in ("web", "tests/npm")]
    locks = [*ROOT.glob("*.lock"), *npm]
    assert len(locks) == 6
    address = re.compile(r"https?://|--index-url|--find-links|\"resolved\"")
    found = [
        f"{lock.name}: {line.strip()}"
        for lock in locks
        for line in lock.read_text(encoding="utf-8").splitlines()
        if address.search(line) and not re.search(r'"(url|funding)":', line)
    ]
    assert found == []


def test_every_package_that_is_imported_is_declared() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = config["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    declared = {
        re.split(r"[^\w.-]", dependency)[0] for dependency in (*project["dependencies"], *extras)
    }
    packages = packages_distributions()
    imports = {name.partition(".")[0] for source in sources() for name in source.imports}
    foreign = imports - sys.stdlib_module_names - {"recto"}
    # Several packages may share a name, as those of OpenTelemetry do.
    used_packages = {
        name: {package.lower().replace("_", "-") for package in packages[name]} for name in foreign
    }
    assert [name for name, owners in used_packages.items() if not owners & declared] == []


def test_every_invariant_is_cited_by_a_test() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    invariants = text.partition("## Invariants")[2].partition("##")[0]
    stated = set(re.findall(r"\bI\d+\b", invariants))
    cited = {
        number
        for path in (ROOT / "tests").rglob("test_*.py")
        if path != Path(__file__)
        for number in re.findall(r"\bI\d+\b", path.read_text(encoding="utf-8"))
    }
    assert len(stated) == 12
    assert stated - cited == set()


def test_the_readme_names_the_two_commands_at_its_top() -> None:
    top = (ROOT / "README.md").read_text(encoding="utf-8").split("##")[0]
    assert [name for name in ("make run", "make test") if name not in top] == []
