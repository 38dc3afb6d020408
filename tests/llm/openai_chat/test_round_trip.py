"""What is lowered can be served, and what is written can be read, without loss."""

import json

import pytest
from hypothesis import given, settings

from recto.llm.protocols.openai_chat import PROTOCOL
from recto.messages import Finished, Message, Part, Request, StreamEvent, Thinking
from tests.examples import examples
from tests.llm.openai_chat.requests import TRAITS, answers, requests
from tests.llm.openai_chat.streams import ORIGIN, finish_of, read_pieces

pytestmark = pytest.mark.slow


def without_data(message: Message) -> Message:
    """A message without what the reader adds to thoughts to know them again."""

    def plain(part: Part) -> Part:
        return Thinking(part.text) if isinstance(part, Thinking) else part

    return Message(message.role, tuple(plain(part) for part in message.parts))


@settings(deadline=None, max_examples=examples(30))
@given(requests())
def test_a_lowered_request_is_served_as_it_was(request: Request) -> None:
    wire = PROTOCOL.lower(request, TRAITS, ORIGIN)
    assert PROTOCOL.serve(wire.body, path=wire.path) == request


@settings(deadline=None, max_examples=examples(30))
@given(requests())
def test_a_served_request_is_lowered_to_the_same_bytes(request: Request) -> None:
    wire = PROTOCOL.lower(request, TRAITS, ORIGIN)
    assert PROTOCOL.lower(PROTOCOL.serve(wire.body), TRAITS, ORIGIN) == wire


@settings(deadline=None, max_examples=examples(30))
@given(answers())
def test_a_written_answer_is_read_as_it_was(events: list[StreamEvent]) -> None:
    writer = PROTOCOL.writer("chatcmpl-9", "recto")
    given = finish_of(events)
    found = finish_of(read_pieces(writer.write(event) for event in events))
    assert same(found, given)


@settings(deadline=None, max_examples=examples(30))
@given(answers())
def test_a_whole_answer_is_read_as_it_was(events: list[StreamEvent]) -> None:
    body = PROTOCOL.write_whole(events, "chatcmpl-9", "recto")
    assert json.loads(body)["id"] == "chatcmpl-9"
    given = finish_of(events)
    found = finish_of(PROTOCOL.read_whole(body, ORIGIN))
    assert same(found, given)


def same(found: Finished, given: Finished) -> bool:
    return (found.reason, without_data(found.message), found.usage) == (
        given.reason,
        given.message,
        given.usage,
    )
