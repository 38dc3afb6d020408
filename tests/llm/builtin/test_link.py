"""The line to the worker process: what is told and heard on it."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import anyio
import pytest

from recto.llm.builtin.installed import installed_model
from recto.llm.builtin.link import WorkerLink, WorkerLinkEnded, describe
from recto.processes import InputClosed
from tests.llm.builtin.asking import PATIENCE_S

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def link() -> AsyncGenerator[WorkerLink]:
    path = installed_model()
    assert path is not None
    link = await WorkerLink.open(path, None)
    yield link
    await link.close()


def body(prompt: Any, max_tokens: int) -> bytes:
    asked = {"prompt": prompt, "max_tokens": max_tokens, "temperature": 0, "stream": True}
    return json.dumps(asked).encode()


async def chunks_to_end(link: WorkerLink, number: int) -> list[bytes]:
    found: list[bytes] = []
    with anyio.fail_after(PATIENCE_S):
        while not (line := await link.hear(number)).end:
            if line.chunk:
                found.append(bytes(line.chunk))
    return found


async def test_a_cancelled_answer_stops_within_a_few_tokens(link: WorkerLink) -> None:
    number = await link.ask("text", body("Once upon a time", 8000))
    with anyio.fail_after(PATIENCE_S):
        while not (await link.hear(number)).chunk:
            pass
    await link.cancel(number)

    assert len(await chunks_to_end(link, number)) < 20


async def test_a_prompt_that_is_cancelled_while_it_is_read_is_never_answered(
    link: WorkerLink,
) -> None:
    number = await link.ask("text", body("one two three " * 2000, 1))
    with anyio.fail_after(PATIENCE_S):
        line = await link.hear(number)
    await link.cancel(number)

    assert (bytes(line.chunk), line.end) == (b"", False)
    assert await chunks_to_end(link, number) == []


async def test_a_request_cancelled_before_its_turn_is_not_begun(link: WorkerLink) -> None:
    first = await link.ask("text", body("Once upon a time", 8000))
    second = await link.ask("text", body("Once upon a time", 8000))
    await link.cancel(second)

    assert await chunks_to_end(link, second) == []
    assert second == first + 1


async def test_a_body_the_engine_refuses_is_an_error_in_its_words(link: WorkerLink) -> None:
    number = await link.ask("chat", b'{"messages": "none", "stream": true}')

    assert [json.loads(chunk) for chunk in await chunks_to_end(link, number)] == [
        {
            "error": {
                "message": "Expected 'messages' to be an array",
                "type": "invalid_request_error",
            }
        }
    ]


async def test_a_closed_line_takes_and_tells_nothing() -> None:
    path = installed_model()
    assert path is not None
    link = await WorkerLink.open(path, None)
    await link.close()

    with pytest.raises(InputClosed):
        await link.ask("text", body("Hello", 1))
    with pytest.raises(WorkerLinkEnded):
        await link.hear(1)


@pytest.mark.parametrize(
    ("code", "errors", "how"),
    [
        (-9, b"noise", "was ended by signal 9"),
        (1, b"", "ended with code 1"),
        (1, b"Traceback\nImportError: broken\n", "ended with code 1: ImportError: broken"),
    ],
)
def test_the_end_of_a_worker_is_told_in_words(code: int, errors: bytes, how: str) -> None:
    assert describe(code, errors) == how


async def test_a_long_request_cancelled_while_it_is_sent_is_not_answered(link: WorkerLink) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        await link.ask("text", body("one " * 1_000_000, 1))

    number = await link.ask("text", body("The capital of France is", 1))

    assert scope.cancelled_caught
    assert b" Paris" in (await chunks_to_end(link, number))[0]
