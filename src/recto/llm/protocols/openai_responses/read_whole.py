"""Reads answers of the Responses API that were not streamed."""

import msgspec

from recto.llm.encoding import convert
from recto.llm.error_answers import first_words
from recto.llm.protocols.openai_responses.answer import ANSWERS, Answer, Event, load
from recto.llm.protocols.openai_responses.read import ResponsesReader
from recto.llm.protocols.openai_responses.read_failures import read_body, read_problem
from recto.messages import Failure, Origin, StreamEvent


def read_whole(body: bytes, origin: Origin) -> list[StreamEvent]:
    """Read an answer that was not streamed, as the events a stream would have told."""
    reader = ResponsesReader(origin)
    try:
        answer = ANSWERS.decode(body)
    except (msgspec.DecodeError, RecursionError):
        found = load(body)
        try:
            answer = convert(found, Answer)
        except msgspec.ValidationError:
            answer = Answer()
    if answer.status is None and answer.output is None:
        return reader.end(read_oddity(body))
    events = reader.on_start(Event(response=answer))
    status = answer.status or "completed"
    return events + reader.on_end(Event(f"response.{status}", response=answer))


def read_oddity(body: bytes) -> Failure:
    """What came instead of an answer."""
    problem = read_body(body)
    if problem.get("message") or problem.get("code"):
        return read_problem(problem)
    return Failure("upstream", f"The provider sent no answer but: {first_words(body)}")
