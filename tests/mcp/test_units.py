"""Names, schemas, differences, lines: the parts that need no server."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.config import Secret
from recto.mcp.approval import start_digest, start_lines, written_out
from recto.mcp.checking.schemas import SchemaUnusable, misfits, unusable_schema
from recto.mcp.configuration import ServerConfig, read_servers, resolved, with_server
from recto.mcp.definitions import ToolDefinition, digest_of, shape_of
from recto.mcp.failures import McpFailure, McpFileInvalid
from recto.mcp.framing import LineSplitter, LongLine, find_id
from recto.mcp.log import MOST_LINES, ServerLog
from recto.mcp.names import offered_name
from recto.mcp.resources import (
    ResourceTemplate,
    ServerPrompt,
    ServerResource,
    ServerResources,
    message_offers,
)
from recto.mcp.server import McpServer
from recto.mcp.tool import declaration_of
from recto.tools import Permissions, ToolRule, ToolRules

NAMES = st.text(alphabet="ab_-.é ", min_size=1, max_size=70)


@given(st.lists(st.tuples(NAMES, NAMES), unique=True, max_size=30))
def test_every_tool_has_a_name_of_its_own_that_providers_take(pairs: list[tuple[str, str]]) -> None:
    names = [offered_name(server, tool) for server, tool in pairs]
    assert len(set(names)) == len(pairs)
    assert all(name.isascii() and len(name) <= 64 and name[0].isalpha() for name in names)
    assert all(letter.isalnum() or letter in "_-" for name in names for letter in name)


def test_a_plain_name_stays_as_it_is() -> None:
    assert offered_name("zotero", "search_items") == "zotero__search_items"


def test_the_one_switch_turns_a_servers_tools_off_too() -> None:
    server = SimpleNamespace(name="zotero", config=SimpleNamespace(root=None))
    declared = declaration_of(cast("McpServer", server), ToolDefinition("search"))
    assert declared.reaches_out
    assert Permissions(ToolRules(disabled=(ToolRule("reaches_out"),))).is_disabled(declared)


def read(**servers: object) -> list[str]:
    found = read_servers(json.dumps({"mcpServers": servers}).encode(), "mcp.json", None)
    return [server.problem for server in found]


def test_what_is_wrong_with_a_server_is_said_and_the_others_work() -> None:
    problems = read(
        good={"command": "x"},
        both={"command": "x", "url": "https://a.example"},
        none={},
        number={"command": 3},
        scheme={"url": "file:///etc/passwd"},
        named={"url": "https://a:b@c.example/mcp"},
        older={"type": "sse", "url": "https://a.example"},
    )
    assert problems[0] == ""
    assert all(problems[1:])
    with pytest.raises(McpFileInvalid):
        read_servers(b"[]", "mcp.json", None)
    with pytest.raises(McpFileInvalid):
        read_servers(b"[" * 100_000, "mcp.json", None)


def test_keys_are_named_and_plain_secrets_are_warned_about() -> None:
    body = {
        "mcpServers": {
            "one": {"command": "x", "env": {"API_TOKEN": "${MY_KEY}", "MODE": "fast"}},
            "two": {
                "url": "https://a.example",
                "headers": {"Authorization": "Bearer abcdefghijkl"},
            },
        }
    }
    one, two = read_servers(json.dumps(body).encode(), "mcp.json", None)
    assert one.warnings == ()
    assert "recto keys set AUTHORIZATION" in two.warnings[0]
    assert resolved(one, {"MY_KEY": Secret("v")}).env == {"API_TOKEN": "v", "MODE": "fast"}
    with pytest.raises(McpFailure, match="recto keys set MY_KEY"):
        resolved(one, {})
    # The approval names the key, not its value, and another key is another digest.
    assert start_lines(one) == ("x", "API_TOKEN='${MY_KEY}'", "MODE=fast")
    other = read_servers(json.dumps(body).replace("MY_KEY", "YOURS").encode(), "mcp.json", None)[0]
    assert start_digest(other) != start_digest(one)


def test_whatever_is_other_about_a_start_is_another_one_to_agree_to() -> None:
    one = ServerConfig("one", "mcp.json", None)
    others = [
        replace(one, command="x"),
        replace(one, args=("x",)),
        replace(one, env={"X": "x"}),
        replace(one, cwd="x"),
        replace(one, url="x"),
        replace(one, headers={"X": "x"}),
        replace(one, client_metadata_url="x"),
        replace(one, client_id="x"),
        replace(one, client_secret="x"),
    ]
    assert len({start_digest(item) for item in (one, *others)}) == 1 + len(others)


def test_adding_and_removing_leaves_the_rest_of_the_file() -> None:
    data = with_server(b'{"inputs": [], "mcpServers": {"a": {"command": "x"}}}', "b", {"url": "u"})
    assert json.loads(data) == {
        "inputs": [],
        "mcpServers": {"a": {"command": "x"}, "b": {"url": "u"}},
    }
    assert list(json.loads(with_server(data, "a", None))["mcpServers"]) == ["b"]


@pytest.mark.parametrize(
    "hidden",
    [
        "\u202e",
        "\u200b",
        "\u2066",
        "\u3164",
        "\u2800",
        "\ufe0f",
        "\U000e0041",
        "\t",
        "\x1b",
        "\u00a0",
    ],
)
def test_what_can_not_be_seen_is_written_out(hidden: str) -> None:
    shown = written_out(f"rm{hidden}x")
    assert shown.isascii()
    assert shown.startswith("rm\\")


def test_order_and_white_space_are_no_change_but_words_are() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {}},
        "required": ["a", "b"],
    }
    turned = {
        "required": ["b", "a"],
        "properties": {"b": {}, "a": {"type": "string"}},
        "type": "object",
    }
    old = ToolDefinition("t", "Reads a file.", parameters=schema)
    same = ToolDefinition("t", "Reads  a\nfile. ", parameters=turned)
    words = ToolDefinition("t", "Reads every file.", parameters=schema)
    described = {**schema, "properties": {"a": {"type": "string", "description": "x"}, "b": {}}}
    more = {**schema, "properties": {"a": {"type": "string"}, "b": {}, "description": {}}}
    assert digest_of(old) == digest_of(same)
    assert digest_of(old) != digest_of(words)
    assert shape_of(old) == shape_of(words) == shape_of(ToolDefinition("t", parameters=described))
    # An argument that is called "description" is an argument.
    assert shape_of(old) != shape_of(ToolDefinition("t", parameters=more))


def test_a_schema_can_neither_hang_nor_fetch() -> None:
    slow = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    assert misfits(slow, {"a": "a" * 40 + "b"}) == ()
    quick = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a+$"}}}
    assert misfits(quick, {"a": "b"}) != ()
    with pytest.raises(SchemaUnusable):
        misfits({"$ref": "http://127.0.0.1:9/schema"}, {})
    assert unusable_schema({"type": "object", "properties": {"a b": {}}}, 1000)
    assert unusable_schema({"type": "object", "properties": {"a": {"type": "nothing"}}}, 1000)
    assert unusable_schema({"type": "object", "description": "x" * 1000}, 1000)
    assert unusable_schema({"type": "array"}, 1000)
    assert unusable_schema({"type": "object"}, 1000) == ""


def doubled(depth: int) -> dict[str, object]:
    """A schema each of whose parts refers to the next one twice."""
    parts: dict[str, object] = {
        f"p{at}": {"allOf": [{"$ref": f"#/$defs/p{at + 1}"}] * 2} for at in range(depth)
    }
    return {"$ref": "#/$defs/p0", "$defs": {**parts, f"p{depth}": {"type": "object"}}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"properties": {"a": {"pattern": "a?" * 40 + "a" * 40}}}, {"a": "a" * 39}),
        ({"properties": {"a": {"pattern": "a*a*a*b"}}}, {"a": "a" * 20_000}),
        ({"patternProperties": {"^(a+)+$": False}}, {"a" * 40 + "b": 1}),
        ({"patternProperties": {"^(a+)+$": True}, "additionalProperties": False}, {"a" * 60: 1}),
        ({"patternProperties": {"(": True}, "additionalProperties": False}, {"a": 1}),
        ({"patternProperties": {"a*b": True}, "additionalProperties": False}, {"a" * 99_999: 1}),
        (
            {
                "allOf": [{"patternProperties": {"^(a+)+b$": True}}],
                "unevaluatedProperties": False,
            },
            {"a" * 60: 1},
        ),
    ],
)
def test_what_could_take_years_is_left_to_the_server(
    schema: dict[str, object], value: object
) -> None:
    assert misfits(schema, value) == ()


def test_what_multiplies_ends_and_what_is_quick_is_checked() -> None:
    for schema in (doubled(60), {"unevaluatedProperties": False, **doubled(60)}):
        with pytest.raises(SchemaUnusable, match="too long"):
            misfits(schema, {})
    items = [{"at": at} for at in range(20_000)]
    assert misfits({"uniqueItems": True}, items) == ()
    assert misfits({"uniqueItems": True}, [*items, {"at": 7.0}]) == ("it has an item twice",)
    assert misfits({"uniqueItems": True}, [1, True, "1", [1], None]) == ()
    # A schema is checked by the same rules.
    listed = {"type": "object", "required": items}
    assert "not valid" in unusable_schema(listed, 1_000_000)
    named = {"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": False}
    assert misfits(named, {"x-a": "b"}) == ()
    assert len(misfits(named, {"x-a": 1, "y": 2})) == 2
    closed: dict[str, object] = {
        "allOf": [{"properties": {"a": True}}],
        "unevaluatedProperties": False,
    }
    assert misfits(closed, {"a": 1}) == ()
    assert len(misfits(closed, {"b": 1})) == 1


def test_a_messages_menus_get_no_more_than_they_show() -> None:
    long = "x" * 3000
    resources = ServerResources(
        (ServerResource("a://b", "one", description=long), ServerResource(long, "two")),
        (ResourceTemplate("a://{b}", long), ResourceTemplate(long, "four")),
    )
    prompts = (ServerPrompt("a", "", long, ()), ServerPrompt(long, "", "", ()))
    found = message_offers(resources, prompts)
    assert [(item.title, len(item.description)) for item in found.resources.items] == [("one", 300)]
    assert [len(item.title) for item in found.resources.templates] == [300]
    assert [(item.name, len(item.description)) for item in found.prompts] == [("a", 300)]


@given(st.lists(st.binary(max_size=30)), st.integers(min_value=1, max_value=20))
def test_lines_are_cut_however_they_come(chunks: list[bytes], most: int) -> None:
    whole = b"".join(chunks)
    splitter = LineSplitter(most)
    found = [line for chunk in chunks for line in splitter.feed(chunk)]
    expected = whole.split(b"\n")[:-1]
    assert len(found) == len(expected)
    for line, item in zip(found, expected, strict=True):
        if len(item) <= most:
            assert line == item
        else:
            assert isinstance(line, LongLine)
            assert line.size == len(item)


def test_the_request_of_a_broken_answer_is_found_if_it_waits() -> None:
    assert find_id(b'{"jsonrpc": "2.0", "id": 7, "result": {"id": 8', {7, 8}) == 7
    assert find_id(b'{"id":"x","result"', {"x"}) == "x"
    assert find_id(b'{"id": 9', {7}) is None


def test_the_log_keeps_the_newest_lines() -> None:
    log = ServerLog()
    log.hear(b"".join(b"line %d\n" % number for number in range(2 * MOST_LINES)))
    log.hear(b"x" * 100_000)
    log.note("Ended.")
    assert len(log.lines) == MOST_LINES
    assert log.lines[-1] == "[Recto] Ended."
    assert log.lines[-3] == f"line {2 * MOST_LINES - 1}"
    assert max(map(len, log.lines)) <= 2000
