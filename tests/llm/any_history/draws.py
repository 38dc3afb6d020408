"""Random pieces of a conversation: words, pictures, files, tools and schemas, odd ones included."""

from base64 import b64decode
from random import Random

from recto.messages import Document, Effort, Image, Json, OutputSchema, Text, ToolSpec

WORDS = (
    "Hello",
    "What does the tide do at noon?",
    "Grüße 😀",
    "a\u2028b",
    "\ud83d half a pair",
    "\x00 zero",
    "Read `main.py`, then say what it does.\n\n```python\nprint(1)\n```",
    "潮の高さ",
    "<think>no</think>",
    "{}",
    " leading and trailing ",
)
EMPTY = ("", " ", "\n\t")
PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
IMAGES = (
    Image("image/png", PNG),
    Image("image/jpeg", b"\xff\xd8\xff\xe0 a picture"),
    Image("image/gif", b"GIF89a a picture"),
    Image("image/webp", b"RIFF\x00\x00\x00\x00WEBP"),
    Image("image/tiff", b"II*\x00 a picture"),
    Image("image/png", b""),
    Image("image/png", url="https://example.org/tide.png"),
)
DOCUMENTS = (
    Document("application/pdf", b"%PDF-1.7 a paper", "paper.pdf"),
    Document("application/pdf", b"", "empty.pdf"),
    Document("text/markdown", b"# Notes\n", "notes.md"),
    Document("text/plain", b"", "empty.txt"),
    Document("application/zip", b"PK\x03\x04", "data.zip"),
    Document("application/pdf", b"%PDF-1.7 nameless", ""),
)
PATH: Json = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
ODD: Json = {
    "type": "object",
    "properties": {
        "rows": {"type": "array"},
        "count": {"type": ["integer", "null"], "minimum": 0, "maximum": 9},
        "kind": {"enum": ["a", 1, None]},
        "one": {"oneOf": [{"type": "string", "format": "regex"}, {"$ref": "#/$defs/n"}]},
    },
    "$defs": {"n": {"type": "number", "default": 1}},
    "anyOf": [{"required": ["rows"]}, {"required": ["count"]}],
}
CLOSED: Json = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "pages": {"type": "integer"}},
    "required": ["title", "pages"],
    "additionalProperties": False,
}
OPEN: Json = {
    "type": "object",
    "properties": {"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5}},
}
TOOLS = (
    ToolSpec("read_file", "Reads a file.", PATH),
    ToolSpec("run", "", {"type": "object", "properties": {}}),
    ToolSpec("mcp.tides.height", "The height of the tide.", ODD),
    ToolSpec("x" * 70, "A long name.", PATH),
    ToolSpec("größe", "A name of other letters.", CLOSED),
    ToolSpec("9 lives", "", {}),
    ToolSpec("search-web", "Searches.", {"type": "object", "allOf": [PATH]}),
)
SCHEMAS = (
    OutputSchema("summary", CLOSED),
    OutputSchema("a summary", OPEN),
    OutputSchema("odd", ODD),
    OutputSchema("nested", {**OPEN, "properties": {"inner": CLOSED, "list": {"type": "array"}}}),
)
EFFORTS: tuple[Effort | None, ...] = (
    None,
    "off",
    "minimal",
    "low",
    "medium",
    "high",
    "xhigh",
    "max",
)
SYSTEMS = ("", " ", "You help with tides.", "You help with tides. Be short.", "\udc00 odd")
CALL_IDS = ("", "functions.run:0", "call 1", "ü", "x" * 90, "toolu_same", "\ud800")


def words(chance: Random) -> str:
    """Something to say; rarely nothing."""
    return chance.choice(EMPTY if chance.random() < 0.07 else WORDS)


def content(chance: Random) -> list[Text | Image | Document]:
    """What a user sends or a tool answers."""
    found: list[Text | Image | Document] = [Text(words(chance))]
    if chance.random() < 0.15:
        found.append(chance.choice(IMAGES))
    if chance.random() < 0.08:
        found.append(chance.choice(DOCUMENTS))
    if chance.random() < 0.1:
        found.append(Text(words(chance)))
    chance.shuffle(found)
    return found if chance.random() < 0.95 else []


def tools(chance: Random) -> tuple[ToolSpec, ...]:
    """A set of tools; often none, rarely one of them twice."""
    count = chance.choice((0, 0, 1, 2, 3, 5))
    found = chance.sample(TOOLS, count)
    return tuple(found if chance.random() < 0.95 else [*found, *found[:1]])
