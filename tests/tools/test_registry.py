"""A model meets words it can act on, whatever it calls."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.messages import ToolCall
from recto.tools import (
    Arguments,
    Declaration,
    Effect,
    FileState,
    Permissions,
    PermissionVerdict,
    Tool,
    Toolbox,
    ToolContext,
    ToolOutcome,
    ToolRule,
    ToolRules,
    builtin_tools,
    parameters_of,
)
from recto.tools.tool import said
from tests.examples import examples
from tests.tools.bench import Bench, FakeShell, text_of

pytestmark = pytest.mark.anyio

NAMES = [
    "run_command", "read_file", "write_file", "edit_file", "list_files", "search_content",
    "create_file", "rename_file", "move_file", "duplicate_file", "delete_file", "add_task",
    "read_tasks", "create_proposal", "add_comment",
]  # fmt: skip


def box(own: ToolRules | None = None, *, sandboxed: bool = True) -> Toolbox:
    return Toolbox(builtin_tools(FakeShell()), Permissions(own or ToolRules(), sandboxed=sandboxed))


def called(name: str, **arguments: Any) -> ToolCall:
    return ToolCall("call_1", name, arguments)


def test_all_tools_are_offered_in_one_order() -> None:
    assert [tool.name for tool in box().offered()] == NAMES


def test_a_disabled_tool_is_not_offered() -> None:
    off = ToolRules(disabled=(ToolRule("run_command"), ToolRule("edit_file", "x*")))
    assert [tool.name for tool in box(off).offered()] == NAMES[1:]


def test_a_plan_has_only_tools_that_change_nothing() -> None:
    assert [tool.name for tool in box().offered(plan=True)] == [
        "read_file", "list_files", "search_content", "read_tasks", "create_proposal",
    ]  # fmt: skip


def test_two_tools_of_one_name_are_a_bug() -> None:
    tools = builtin_tools(FakeShell())
    with pytest.raises(ValueError, match="same name"):
        Toolbox((*tools, tools[0]), Permissions())


async def test_an_unknown_tool_is_named_with_those_there_are(bench: Bench) -> None:
    told = await bench.fail("reed_file", path="a.md")

    assert told == f"There is no tool 'reed_file' here. There are: {', '.join(NAMES)}."


async def test_a_disabled_tool_is_refused(bench: Bench) -> None:
    bench.permissions = Permissions(ToolRules(disabled=(ToolRule("write_file"),)))

    told = await bench.fail("write_file", path="a.md", content="x")

    assert told == (
        "This call is refused. The user's rules turn this off: write_file. Go on without it."
    )
    assert bench.files() == {}


async def test_a_plan_refuses_what_changes_something(bench: Bench) -> None:
    outcome = await box().call(called("write_file", path="a", content=""), bench.context, plan=True)

    assert text_of(outcome) == (
        "There is no tool 'write_file' here. "
        "There are: read_file, list_files, search_content, read_tasks, create_proposal."
    )


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "Object missing required field `path`"),
        ({"path": 3}, "Expected `str`, got `int` - at `$.path`"),
        ({"path": "a", "line": 1}, "Object contains unknown field `line`"),
        ({"path": "a", "start_line": 0}, "Expected `int` >= 1 - at `$.start_line`"),
        ({"path": "a", "start_line": "x"}, "Expected `int | null`, got `str` - at `$.start_line`"),
    ],
)
async def test_arguments_that_do_not_fit_are_explained(
    bench: Bench, arguments: dict[str, Any], why: str
) -> None:
    assert await bench.fail("read_file", **arguments) == (
        f"The arguments of read_file don't fit: {why}. It takes path (string), "
        "start_line (integer, optional), end_line (integer, optional)."
    )


async def test_numbers_in_other_clothes_and_a_dotted_path_are_understood(bench: Bench) -> None:
    bench.write("a.md", "one\ntwo\nthree\n")

    assert await bench.say("read_file", path="./a.md", start_line="2", end_line=2.0) == (
        "2\ttwo\n[Lines 2 to 2 of 3.]"
    )


async def test_a_call_that_asks_runs_only_when_the_user_agreed(bench: Bench) -> None:
    bench.write("a.md", "a")

    outcome = await bench.call("delete_file", approved=False, path="a.md")

    assert text_of(outcome) == (
        "The user has to agree to this call first. delete_file asks unless your rules allow it."
    )
    assert bench.files() == {"a.md": "a"}
    assert not (await bench.call("delete_file", approved=True, path="a.md")).is_error
    assert bench.files() == {}


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (called("read_file", path="AGENTS.md"), "allow"),
        (called("write_file", path="AGENTS.md", content=""), "ask"),
        (called("write_file", path="./agents.md", content=""), "ask"),
        (called("write_file", path="innocent.md", content=""), "ask"),
        (called("write_file", path="folder/ci.yml", content=""), "ask"),
        (called("create_file", path="folder/deep/ci.yml"), "ask"),
        (called("rename_file", path="notes.md", new_name="CLAUDE.md"), "ask"),
        (called("move_file", path="notes.md", new_path=".vscode/tasks.json"), "ask"),
        (called("move_file", path="package", new_path="elsewhere"), "ask"),
        (called("move_file", path="plans", new_path=".github"), "ask"),
        (called("rename_file", path="plans", new_name=".github"), "ask"),
        (called("move_file", path="notes.md", new_path="other.md"), "allow"),
        (called("write_file", path=".git/config", content=""), "deny"),
        (called("write_file", path="notes.md", content=""), "allow"),
        (called("write_file", path="../AGENTS.md", content=""), "ask"),
        (called("write_file"), "allow"),
        (called("nothing"), "allow"),
    ],
)
async def test_controls_are_seen_through_links_and_in_folders(
    bench: Bench, call: ToolCall, kind: str
) -> None:
    bench.write("AGENTS.md", "")
    bench.write("notes.md", "")
    bench.write("package/tests/conftest.py", "")
    bench.write("plans/workflows/ci.yml", "")
    bench.write(".github/workflows/ci.yml", "")
    (bench.root / "innocent.md").symlink_to("AGENTS.md")
    (bench.root / "folder").symlink_to(".github/workflows")

    assert (await box().judge(call, bench.workspace)).kind == kind


async def test_a_folder_with_a_control_in_it_asks_even_if_deleting_is_allowed(
    bench: Bench,
) -> None:
    bench.write("package/conftest.py", "")
    bench.write("plain/a.md", "")
    tools = box(ToolRules(allow=(ToolRule("delete_file"),)))

    assert await tools.judge(
        called("delete_file", path="plain"), bench.workspace
    ) == PermissionVerdict("allow")
    assert await tools.judge(
        called("delete_file", path="package"), bench.workspace
    ) == PermissionVerdict(
        "ask",
        '"package/conftest.py" controls what programs or the AI do, so changing it always asks.',
    )


async def test_the_rule_for_an_answer_is_told_or_that_there_is_none(bench: Bench) -> None:
    tools = box()

    for call, rule in (
        (called("run_command", command="make test"), ToolRule("run_command", "make test")),
        (called("run_command", command="make test; ls"), None),
        (called("delete_file", path="a.md"), ToolRule("delete_file")),
        (called("write_file", path="AGENTS.md", content=""), None),
        (called("nothing"), None),
    ):
        assert await tools.rule_for(call, bench.workspace) == rule


class Empty(Arguments, frozen=True):
    """Nothing."""


async def speak(asked: Empty, context: ToolContext) -> ToolOutcome:
    del asked, context
    return said("\n".join(f"line {number}" for number in range(1, 1001)) + "\ud800")


LONG = Tool(
    Declaration("speak", "", "", parameters_of(Empty), group="web", changes=False), speak, Empty
)


async def test_long_output_is_kept_and_shown_with_head_tail_and_handle(bench: Bench) -> None:
    outcome = await Toolbox([LONG], Permissions()).call(
        called("speak"), replace(bench.context, room=600)
    )

    text = text_of(outcome)
    lines = text.split("\n")
    shown = [line for line in lines if line.startswith("line ")]
    assert len(text) <= 600
    assert (shown[:2], shown[-2:]) == (["line 1", "line 2"], ["line 999", "line 1000\ufffd"])
    assert [line for line in lines if not line.startswith("line ")] == [
        "[8,551 of 8,893 characters are left out here. All is kept as output:1: give that as the "
        "path to read_file (with start_line and end_line) or search_content.]"
    ]
    assert bench.outputs.kept["output:1"].count("\n") == 999


async def test_a_bug_in_a_tool_is_not_hidden(bench: Bench) -> None:
    async def stumble(asked: Empty, context: ToolContext) -> ToolOutcome:
        raise ZeroDivisionError

    tool = replace(LONG, run=stumble)
    with pytest.raises(ZeroDivisionError):
        await Toolbox([tool], Permissions()).call(called("speak"), bench.context)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
KEYS = st.sampled_from(
    ["path", "new_path", "new_name", "content", "old_string", "new_string", "query", "command",
     "start_line", "depth", "glob", "alternatives", "title"]
)  # fmt: skip


@settings(
    max_examples=examples(75),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.sampled_from(NAMES), st.dictionaries(KEYS, JSON, max_size=4))
async def test_nothing_a_model_writes_raises(
    bench: Bench, name: str, arguments: dict[str, Any]
) -> None:
    outcome = await bench.call(name, **arguments)

    assert outcome.content


async def test_a_command_is_run_in_the_folder_and_its_changes_are_recorded(bench: Bench) -> None:
    effect = Effect("made.md", None, FileState("file", b"made"))
    bench.shell.answer = replace(
        bench.shell.answer, found=replace(bench.shell.answer.found, changes=(effect,))
    )

    assert await bench.say("run_command", command="make") == (
        "It printed nothing.\n[exit code 0]\n[Changed: made.md]"
    )
    assert bench.notes == [(effect,)]
    assert bench.files() == {"made.md": "made"}
