"""The built-in model really answers: these tests run it."""

import json
import sys

import pytest

from recto.llm.builtin import BuiltinModel, read_model_file
from recto.llm.builtin.installed import installed_model
from recto.llm.framing import SseDecoder
from recto.messages import (
    Finished,
    Image,
    Message,
    OutputSchema,
    PromptProgress,
    Request,
    Started,
    Text,
    TextDelta,
    ToolCall,
    ToolResult,
    ToolSpec,
    UsageReported,
    assistant,
    user,
)
from tests.llm.builtin.asking import (
    MODEL,
    ask,
    collect,
    finish,
    go_on,
    is_reachable,
    listening,
    worker_of,
)

pytestmark = pytest.mark.anyio


async def test_a_chat_answer_streams_its_words_with_their_probabilities(
    model: BuiltinModel,
) -> None:
    heard = await collect(model.stream(ask("Say hello.")))
    events = [event for event in heard if not isinstance(event, PromptProgress)]

    deltas = [event for event in events if isinstance(event, TextDelta)]
    end = events[-1]
    assert isinstance(events[0], Started)
    assert isinstance(end, Finished)
    assert len(deltas) > 2
    assert end.message == assistant("".join(delta.text for delta in deltas))
    assert all(token.logprob <= 0 for delta in deltas for token in delta.logprobs)
    assert [token.token for delta in deltas for token in delta.logprobs] == [
        delta.text for delta in deltas
    ]


async def test_a_long_prompt_is_told_how_far_it_is_read_before_the_first_word(
    model: BuiltinModel,
) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    events = await collect(model.stream(ask(words, max_output=2)))
    reading = [event for event in events if isinstance(event, PromptProgress)]
    known = [event for event in reading if event.total]
    assert len(known) > 1
    assert len(reading) <= 21
    assert len({event.total for event in known}) == 1
    assert [event.read for event in known] == sorted({event.read for event in known})
    assert 0 <= known[0].read < known[-1].read <= known[-1].total
    first = next(at for at, event in enumerate(events) if isinstance(event, TextDelta))
    assert all(event in events[:first] for event in reading)


async def test_usage_counts_the_prompt_and_the_answer(model: BuiltinModel) -> None:
    events = await collect(model.stream(ask("Count to fifty.", max_output=5)))

    end = events[-1]
    assert isinstance(end, Finished)
    assert end.usage is not None
    assert (end.reason, end.usage.output, end.usage.source) == ("max_tokens", 5, "final")
    assert end.usage.prompt > 20
    assert UsageReported(end.usage) in events


async def test_at_temperature_zero_the_same_question_has_the_same_answer(
    model: BuiltinModel,
) -> None:
    request = ask("Name three colours.")

    answers = [(await finish(model.stream(request))).message for _ in range(3)]

    assert answers[0] == answers[1] == answers[2] != Message("assistant", ())


async def test_the_system_prompt_and_earlier_turns_are_read(model: BuiltinModel) -> None:
    short = Request(MODEL, (user("Hello."),), 1)
    long = Request(
        MODEL, (user("Hello."), assistant("Hello."), user("Hello.")), 1, "Be very polite to all."
    )

    first, second = [await finish(model.stream(request)) for request in (short, long)]

    assert first.usage is not None
    assert second.usage is not None
    assert second.usage.prompt > first.usage.prompt


async def test_a_history_with_tools_and_images_of_another_model_is_told_in_words(
    model: BuiltinModel,
) -> None:
    history = (
        user("What is in a.md?", Image("image/png", b"\x89PNG")),
        assistant(ToolCall("c1", "read_file", {"path": "a.md"})),
        user(ToolResult("c1", "read_file", (Text("Hello"),))),
        user("And what does that mean?"),
    )

    end = await finish(model.stream(Request(MODEL, history, 5)))

    assert (end.reason, end.failure) == ("max_tokens", None)


async def test_tools_are_refused_in_words(model: BuiltinModel) -> None:
    tools = (ToolSpec("read_file", "Reads a file.", {"type": "object"}),)

    end = await finish(model.stream(Request(MODEL, (user("Read a.md."),), 5, tools=tools)))

    assert end.failure is not None
    assert (end.reason, end.failure.kind) == ("error", "invalid_request")
    assert end.failure.message == (
        "The built-in model can't use tools. Choose another model for this."
    )


async def test_an_answer_can_be_held_to_a_schema(model: BuiltinModel) -> None:
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "blue"]}},
        "required": ["colour"],
        "additionalProperties": False,
    }
    wanted = OutputSchema("colour", schema)

    request = Request(MODEL, (user("Choose."),), 60, output_schema=wanted, temperature=0.0)
    end = await finish(model.stream(request))

    assert json.loads(end.message.text)["colour"] in {"red", "blue"}


async def test_an_answer_ends_before_a_stop_sequence(model: BuiltinModel) -> None:
    request = Request(MODEL, (user("Count: 1, 2, 3, 4, 5"),), 40, stop=(",", "\n"), temperature=0.0)

    end = await finish(model.stream(request))

    assert end.reason == "end_turn"
    assert not {",", "\n"} & set(end.message.text)


async def test_an_answer_that_goes_round_in_circles_is_ended(model: BuiltinModel) -> None:
    same = "The sea is blue and the tide comes in. "
    request = Request(MODEL, (user(f"Go on for ever: {same * 6}"),), 400, temperature=0.0)

    end = await finish(model.stream(request))

    assert end.reason == "end_turn"
    assert end.message.text.count("the tide comes in") in (2, 3, 4)


async def test_a_text_is_continued_without_a_chat_around_it(model: BuiltinModel) -> None:
    events = await collect(model.stream(go_on("The capital of France is", max_output=3)))

    deltas = [event for event in events if isinstance(event, TextDelta)]
    end = events[-1]
    assert isinstance(end, Finished)
    assert end.message.text.startswith(" Paris")
    assert all(delta.logprobs[0].logprob <= 0 for delta in deltas)
    assert end.usage is not None
    assert end.usage.prompt == 5


async def test_continuing_a_longer_text_reuses_what_was_read(model: BuiltinModel) -> None:
    text = "The old house stood at the end of the road. Nobody had lived there for years."

    await collect(model.stream(go_on(text, max_output=1)))
    again = await finish(model.stream(go_on(f"{text} One day", max_output=1)))

    assert again.usage is not None
    assert again.usage.cache_read > again.usage.input


async def test_samples_of_one_text_differ(model: BuiltinModel) -> None:
    asked = [
        model.stream(go_on("My favourite thing is", max_output=8, temperature=1.5))
        for _ in range(4)
    ]

    samples = {(await finish(events)).message.text for events in asked}

    assert len(samples) > 1


async def test_characters_of_many_bytes_are_never_cut(model: BuiltinModel) -> None:
    events = await collect(model.stream(go_on("🚀🙂🚀🙂🚀🙂🚀🙂", max_output=24)))

    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    assert {"🚀", "🙂"} & set("".join(pieces))
    assert "\ufffd" not in "".join(pieces)


@pytest.mark.parametrize("kind", ["chat", "text"])
async def test_a_prompt_that_does_not_fit_is_refused_not_cut(
    model: BuiltinModel, kind: str
) -> None:
    words = "one two three " * 4000
    asked = ask(words) if kind == "chat" else go_on(words, max_output=1)

    end = await finish(model.stream(asked))

    assert end.failure is not None
    assert (end.failure.kind, end.failure.provider) == ("context_length", "builtin")
    assert end.failure.message.endswith("tokens, and 8192 fit.")


async def test_half_a_character_in_a_text_is_replaced(model: BuiltinModel) -> None:
    end = await finish(model.stream(go_on("half \ud83d", max_output=1)))

    assert end.failure is None


async def test_the_engine_is_never_loaded_in_this_process_and_nobody_can_reach_it(
    model: BuiltinModel,
) -> None:
    await collect(model.stream(ask("Hello.", max_output=1)))

    [path] = listening(worker_of(model))
    assert "xllamacpp" not in sys.modules
    assert path.endswith("/unreachable.sock")
    assert not is_reachable(path)


def test_the_installed_model_reads_eight_thousand_tokens() -> None:
    path = installed_model()

    assert path is not None
    assert read_model_file(path).window == 8192


async def test_what_is_asked_and_what_is_said_can_be_recorded(model: BuiltinModel) -> None:
    kept: list[tuple[str, bytes]] = []
    events = model.stream(ask("Say hello."), record=lambda kind, data: kept.append((kind, data)))
    words = [event.text for event in await collect(events) if isinstance(event, TextDelta)]

    assert kept[0][0] == "request"
    assert json.loads(kept[0][1])["messages"] == [{"role": "user", "content": "Say hello."}]
    assert [kind for kind, _ in kept[1:]] == ["head", *["answer"] * (len(kept) - 2)]
    assert json.loads(kept[1][1])["status"] == 200
    frames = SseDecoder().feed(b"".join(data for kind, data in kept if kind == "answer"))
    assert frames[-1].data == b"[DONE]"
    choices = [choice for frame in frames[:-1] for choice in json.loads(frame.data)["choices"]]
    assert [text for choice in choices if (text := choice["delta"].get("content"))] == words
