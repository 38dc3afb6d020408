"""Which calls run, which ask, which are refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.tools import (
    CheckedCall,
    Declaration,
    Permissions,
    PermissionVerdict,
    RulesInvalid,
    ToolRule,
    ToolRules,
    builtin_tools,
    folder_rules,
    is_control,
    read_rules,
    write_rules,
)
from recto.tools.permission import WARY
from tests.tools.bench import Bench, FakeShell

TOOLS = {tool.name: tool.declaration for tool in builtin_tools(FakeShell())}
RUN = TOOLS["run_command"]
EDIT = TOOLS["edit_file"]
DELETE = TOOLS["delete_file"]
READ = TOOLS["read_file"]
FETCH = Declaration("fetch_url", "", "", {}, group="web", changes=False, reaches_out=True)

CONTROLS = (
    "_instructions.md", "AGENTS.md", "CLAUDE.md", "docs/CLAUDE.md", "agents.MD", "ＡGENTS.md",
    "A\u200bGENTS.md", "AGENTS.md ", "AGENTS.md::$DATA", ".mcp.json", ".vscode/settings.json",
    ".VSCode/tasks.json", ".idea/workspace.xml", ".bashrc", ".zshrc", ".profile", "home/.bashrc",
    ".github/workflows/ci.yml", ".GitHub/Workflows/x.yml", "sub/.github/workflows/x.yml", ".envrc",
    "conftest.py", "tests/conftest.py", "sitecustomize.py", "lib/evil.pth", ".gitattributes",
    ".gitmodules", "my.code-workspace", ".agents/skills/x/SKILL.md", ".agents/skills/x/run.sh",
    "skills/x/SKILL.md", ".claude/settings.json", ".rectoignore", "sub/.rectoignore",
)  # fmt: skip
ORDINARY = (
    "notes.md", "src/agents.py", "Makefile", "docs/instructions.md", ".github/README.md",
    ".gitignore", "workflows/x.yml", "tests/test_conftest.py", "path.pt", "skills/notes.md",
)  # fmt: skip


def rules(**lists: list[str]) -> ToolRules:
    return read_rules(json.dumps({"version": 1, **lists}).encode(), "a test")


def judge(
    tool: Declaration,
    main: str = "",
    *,
    own: ToolRules | None = None,
    folder: ToolRules | None = None,
    sandboxed: bool = True,
    network: bool = False,
) -> str:
    """The kind of verdict on a call about one path or command."""
    paths = (main,) if tool.main == "path" else ()
    permissions = Permissions(own or ToolRules(), folder or ToolRules(), sandboxed=sandboxed)
    return permissions.judge(tool, CheckedCall(main, paths, network)).kind


def test_commands_and_deletions_ask_and_nothing_else() -> None:
    asks = [name for name, tool in TOOLS.items() if judge(tool, "notes.md") != "allow"]
    assert asks == ["run_command", "delete_file"]


@pytest.mark.parametrize("path", CONTROLS)
def test_a_change_to_what_controls_programs_always_asks(path: str) -> None:
    everything = rules(allow=["edit_file", f"edit_file: {path}", "edit_file: *"])

    assert is_control(path)
    assert judge(EDIT, path, own=everything) == "ask"
    assert judge(READ, path, own=everything) == "allow"


@pytest.mark.parametrize("path", ORDINARY)
def test_other_files_are_not_controls(path: str) -> None:
    assert not is_control(path)
    assert judge(EDIT, path) == "allow"


@pytest.mark.parametrize("path", [".git/config", ".recto/tools.json", ".GIT/x", "sub/.git/hooks/x"])
def test_a_change_to_gits_and_rectos_own_files_is_refused(path: str) -> None:
    assert judge(EDIT, path, own=rules(allow=["edit_file"])) == "deny"


@pytest.mark.parametrize(
    ("own", "command", "kind"),
    [
        (rules(allow=["run_command: git status*"]), "git status -s", "allow"),
        (rules(allow=["run_command: git status*"]), "git status; rm x", "ask"),
        (rules(allow=["run_command: git status*"]), "git push", "ask"),
        (rules(allow=["run_command"]), "git status; rm x", "allow"),
        (rules(allow=["run_command"], ask=["run_command: rm*"]), "ls; rm x", "ask"),
        (rules(allow=["run_command: git*"], ask=["run_command: git push*"]), "git push", "ask"),
        (rules(allow=["run_command: git log"], ask=["run_command"]), "git log", "allow"),
        (rules(allow=["run_command"], ask=["run_command"]), "git log", "ask"),
        (rules(allow=["run_command"], disabled=["run_command: rm*"]), "ls && rm x", "deny"),
        (rules(disabled=["run_command"]), "ls", "deny"),
    ],
)
def test_rules_about_some_calls_come_before_rules_about_all(
    own: ToolRules, command: str, kind: str
) -> None:
    assert judge(RUN, command, own=own) == kind


def test_unsandboxed_commands_ask_every_time() -> None:
    everything = rules(allow=["run_command", "run_command: git status"])

    assert judge(RUN, "git status", own=everything, sandboxed=False) == "ask"
    assert judge(RUN, "git status", own=everything) == "allow"


def test_a_command_that_wants_the_network_asks() -> None:
    assert judge(RUN, "git status", own=rules(allow=["run_command"]), network=True) == "ask"


def test_a_folder_can_only_make_things_stricter() -> None:
    own = rules(allow=["delete_file", "run_command: ls*"])

    assert judge(DELETE, "a.md", own=own) == "allow"
    assert judge(DELETE, "a.md", own=own, folder=rules(ask=["delete_file"])) == "ask"
    assert judge(RUN, "ls", own=own, folder=rules(ask=["run_command"])) == "ask"
    assert judge(EDIT, "a.md", folder=rules(disabled=["edit_file"])) == "deny"
    assert judge(DELETE, "a.md", folder=rules(allow=["delete_file"])) == "ask"


def test_a_rule_about_paths_allows_exactly_and_asks_in_any_letters() -> None:
    drafts = rules(allow=["delete_file: drafts/*"], ask=["edit_file: Drafts/*"])

    assert judge(DELETE, "drafts/a.md", own=drafts) == "allow"
    assert judge(DELETE, "Drafts/a.md", own=drafts) == "ask"
    assert judge(EDIT, "drafts/a.md", own=drafts) == "ask"


def test_a_rule_must_allow_every_path_that_a_call_touches() -> None:
    own = rules(allow=["move_file: drafts/*"], ask=["move_file"])
    permissions = Permissions(own)
    inside = CheckedCall("drafts/a", ("drafts/a", "drafts/b"))
    outside = CheckedCall("drafts/a", ("drafts/a", "b"))

    assert permissions.judge(TOOLS["move_file"], inside) == PermissionVerdict("allow")
    assert permissions.judge(TOOLS["move_file"], outside) == PermissionVerdict(
        "ask", "Your rules ask: move_file."
    )


def test_what_could_not_be_looked_at_whole_asks() -> None:
    asked = CheckedCall("big", ("big",), unclear='"big" is over the limit of 10,000 files.')
    verdict = Permissions(rules(allow=["delete_file"])).judge(DELETE, asked)

    assert verdict == PermissionVerdict("ask", '"big" is over the limit of 10,000 files.')


def test_one_rule_turns_off_all_that_reaches_out() -> None:
    for permissions in (
        Permissions(rules(disabled=["reaches_out"], allow=["fetch_url"])),
        Permissions(folder=rules(disabled=["reaches_out"])),
    ):
        assert permissions.is_disabled(FETCH)
        assert not permissions.is_disabled(TOOLS["edit_file"])
        assert permissions.judge(FETCH, CheckedCall()) == PermissionVerdict(
            "deny", "Tools that reach a third party are turned off."
        )


def test_a_disabled_tool_is_known_as_such() -> None:
    permissions = Permissions(rules(disabled=["fetch_url", "edit_file: x*"]))

    assert permissions.is_disabled(FETCH)
    assert not permissions.is_disabled(TOOLS["edit_file"])
    assert permissions.judge(FETCH, CheckedCall()) == PermissionVerdict(
        "deny", "The user's rules turn this off: fetch_url."
    )


def test_what_runs_or_reaches_out_asks_once_text_of_others_was_read() -> None:
    own = rules(allow=["run_command", "run_command: git log*", "delete_file", "fetch_url"])
    permissions = Permissions(own, sandboxed=True, wary=True)

    assert permissions.judge(RUN, CheckedCall("make")) == PermissionVerdict("ask", WARY)
    assert permissions.judge(FETCH, CheckedCall("https://example.org")) == PermissionVerdict(
        "ask", WARY
    )
    assert permissions.judge(RUN, CheckedCall("git log -3")).kind == "allow"
    assert permissions.judge(DELETE, CheckedCall("a.md", ("a.md",))).kind == "allow"
    assert permissions.rule_for(RUN, CheckedCall("make")) == ToolRule("run_command", "make")


def test_an_answer_for_always_becomes_a_rule_that_helps() -> None:
    permissions = Permissions(rules(ask=["delete_file"]), sandboxed=True)
    asked = CheckedCall("git log -3")

    rule = permissions.rule_for(RUN, asked)

    assert rule is not None
    assert rule == ToolRule("run_command", "git log -3")
    assert json.loads(permissions.remember(rule)) == {
        "version": 1,
        "disabled": [],
        "ask": ["delete_file"],
        "allow": ["run_command: git log -3"],
    }
    assert permissions.with_grants([rule]).judge(RUN, asked).kind == "allow"
    assert permissions.judge(RUN, asked).kind == "ask"


def test_an_answer_for_always_replaces_the_same_rule_that_asks() -> None:
    permissions = Permissions(rules(ask=["delete_file"]))
    rule = permissions.rule_for(DELETE, CheckedCall("a.md", ("a.md",)))

    assert rule is not None
    assert rule == ToolRule("delete_file")
    assert read_rules(permissions.remember(rule), "it") == rules(allow=["delete_file"])


@pytest.mark.parametrize(
    ("tool", "asked", "sandboxed"),
    [
        (RUN, CheckedCall("git log; rm x"), True),
        (RUN, CheckedCall("ls *"), True),
        (RUN, CheckedCall("git log"), False),
        (RUN, CheckedCall("git log", network=True), True),
        (EDIT, CheckedCall("AGENTS.md", ("AGENTS.md",)), True),
    ],
)
def test_where_no_rule_helps_none_is_offered(
    tool: Declaration, asked: CheckedCall, *, sandboxed: bool
) -> None:
    assert Permissions(sandboxed=sandboxed).rule_for(tool, asked) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"version": 2}',
        b'{"version": 1, "allowed": []}',
        b'{"version": 1, "ask": "all"}',
        b'{"version": 1, "ask": [""]}',
        b'{"version": 1, "ask": ["run_command:"]}',
        b'{"version": 1, "ask": [": x"]}',
        b'{"version": 1, "ask": ["' + b"x" * 1_000_000 + b'"]}',
        b"\xff",
    ],
)
def test_a_file_that_is_no_rules_is_told_with_its_name(data: bytes) -> None:
    with pytest.raises(RulesInvalid, match="The tool rules in tools.json can't be read"):
        read_rules(data, "tools.json")


@pytest.mark.anyio
async def test_a_folders_own_file_is_read_without_what_it_would_allow(bench: Bench) -> None:
    assert await folder_rules(bench.workspace) == ToolRules()

    bench.write(
        ".recto/tools.json",
        '{"version": 1, "disabled": ["fetch_url"], "ask": ["edit_file: x"], "allow": ["*"]}',
    )
    assert await folder_rules(bench.workspace) == ToolRules(
        disabled=(ToolRule("fetch_url"),), ask=(ToolRule("edit_file", "x"),)
    )

    bench.write(".recto/tools.json", "{}")
    with pytest.raises(RulesInvalid, match=".recto/tools.json"):
        await folder_rules(bench.workspace)


PIECES = st.text(alphabet="abc_ *:/.", min_size=1, max_size=8).map(str.strip).filter(bool)
RULES = st.builds(ToolRule, st.text(alphabet="abc_", min_size=1, max_size=8), st.none() | PIECES)
LISTS = st.lists(RULES, max_size=4).map(tuple)


@given(st.builds(ToolRules, LISTS, LISTS, LISTS))
def test_rules_are_written_as_they_are_read(some: ToolRules) -> None:
    assert read_rules(write_rules(some), "it") == some


@given(st.builds(ToolRules, LISTS, LISTS, LISTS), st.text(max_size=20))
def test_any_rules_and_any_command_have_a_verdict(some: ToolRules, command: str) -> None:
    permissions = Permissions(some, some, sandboxed=True)
    assert permissions.judge(RUN, CheckedCall(command)).kind in {"allow", "ask", "deny"}
