"""The first words of an answer are told before what came with them is read."""

import json
from collections.abc import Callable, Mapping
from itertools import combinations

import pytest

from recto.llm import load_protocol
from recto.llm.answers import AnswerDecoder
from recto.messages import Failure, Finished, Origin, StreamEvent, TextDelta

pytestmark = pytest.mark.anyio
ORIGIN = Origin("openai-chat", "account", "model")


class OnePiece:
    """All that a provider says, in one piece; afterwards the connection is over."""

    status = 200
    host = "a provider"
    headers: Mapping[str, str] = {}

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = list(pieces)

    async def open(self) -> None:
        pass

    async def read(self) -> bytes | None:
        return self._pieces.pop(0) if self._pieces else None

    async def pass_on(self, take: Callable[[bytes], bool]) -> bool:
        while self._pieces:
            if not take(self._pieces.pop(0)):
                return True
        return False

    def left_over(self) -> bytes:
        return b""

    def told(self) -> None:
        pass

    def sign(self, failure: Failure) -> Failure:
        return failure


def frame(text: str | None, finish: str | None = None) -> bytes:
    delta = {} if text is None else {"content": text}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"id": "a", "choices": [choice]}).encode() + b"\n\n"


async def told(*pieces: bytes) -> list[list[str]]:
    """The words of each turn; the last one ends with why."""
    decoder = AnswerDecoder(OnePiece(*pieces), load_protocol("openai-chat"), ORIGIN)
    found: list[list[str]] = []
    while events := await decoder.next():
        words = [event.text for event in events if isinstance(event, TextDelta)]
        found.append(words + [event.reason for event in events if isinstance(event, Finished)])
    return found


async def test_what_comes_with_the_first_words_is_read_after_them() -> None:
    whole = frame("The") + frame(" tide") + frame(" comes") + frame(None, "stop")
    assert await told(whole + b"data: [DONE]\n\n") == [["The"], [" tide", " comes", "end_turn"]]


async def test_an_answer_without_a_last_line_end_is_whole_all_the_same() -> None:
    torn = (frame("The") + frame(" tide") + frame(None, "stop"))[:-1]
    assert [word for words in await told(torn) for word in words] == ["The", " tide", "end_turn"]


async def told_and_offered(*pieces: bytes) -> list[str]:
    """The words in the order in which they are told, or taken when they are offered."""
    source, found = OnePiece(*pieces), list[str]()

    def take(events: list[StreamEvent]) -> bool:
        found.extend(event.text for event in events if isinstance(event, TextDelta))
        return True

    decoder = AnswerDecoder(
        source, load_protocol("openai-chat"), ORIGIN, pass_on=source.pass_on, offer=take
    )
    while events := await decoder.next():
        found.extend(event.text for event in events if isinstance(event, TextDelta))
    return found


async def test_words_are_told_once_and_in_order_wherever_the_answer_is_cut() -> None:
    """What came behind the first words, in a piece that was offered, was told late or never."""
    words = [None, "The", " tide", " comes", " in"]
    whole = b"".join(map(frame, words)) + frame(None, "stop") + b"data: [DONE]\n\n"
    places = range(1, len(whole), 7)
    cuts = [(), *((place,) for place in range(1, len(whole))), *combinations(places, 2)]
    for places in cuts:
        ends = zip((0, *places), (*places, len(whole)), strict=True)
        found = await told_and_offered(*(whole[start:end] for start, end in ends))
        assert found == words[1:], places
