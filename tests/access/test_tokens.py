from hypothesis import given
from hypothesis import strategies as st

from recto.access import most_tokens
from recto.access.tokens import DOCUMENT_TOKENS, IMAGE_TOKENS, REQUEST_TOKENS, ByteEstimate
from recto.messages import (
    Document,
    Image,
    Native,
    Origin,
    OutputSchema,
    Part,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    ToolSpec,
    user,
)

DATA = ProviderData(Origin("p", "a", "m"), {"signature": "s" * 500})
EMPTY = most_tokens(Request("m", (user(),), 100))


def more(part: Part) -> int:
    return most_tokens(Request("m", (user(part),), 100)) - EMPTY


@given(st.text(st.characters(codec=None)))
def test_no_text_has_more_tokens_than_bytes(text: str) -> None:
    assert more(Text(text)) == len(text.encode(errors="surrogatepass"))


def test_everything_in_a_request_counts() -> None:
    assert more(Text("words", DATA)) > 500
    assert more(Thinking("", DATA)) > 500
    assert more(Native(DATA)) > 500
    assert more(ToolCall("1", "read", {"path": "x" * 90}, DATA)) > 590
    assert more(ToolResult("1", "read", (Text("y" * 90), Image("image/png", b"z")))) > IMAGE_TOKENS
    assert more(Image("image/png", b"z" * 10)) == IMAGE_TOKENS
    assert more(Document("application/pdf", b"z", "a.pdf")) == DOCUMENT_TOKENS
    assert more(Document("application/pdf", b"z" * 50_000, "a.pdf")) == 50_000


def test_the_system_prompt_the_tools_and_the_schema_count() -> None:
    plain = Request("m", (), 100)
    tool = ToolSpec("read", "d" * 100, {"type": "object"})
    schema = OutputSchema("answer", {"type": "object", "description": "e" * 100})

    assert most_tokens(plain) == REQUEST_TOKENS
    assert most_tokens(Request("m", (), 100, system="s" * 70)) == REQUEST_TOKENS + 70
    assert most_tokens(Request("m", (), 100, tools=(tool,))) > REQUEST_TOKENS + 100
    assert most_tokens(Request("m", (), 100, output_schema=schema)) > REQUEST_TOKENS + 100


def test_an_estimate_is_rather_too_high() -> None:
    estimate = ByteEstimate()
    counts = [estimate.text("x" * size, "m") for size in (0, 1, 3, 4, 300)]
    assert counts == [0, 1, 1, 2, 100]
    assert estimate.text("\ud800é", "m") == 2
    assert estimate.request(Request("m", (user(),), 100), "m") == EMPTY
