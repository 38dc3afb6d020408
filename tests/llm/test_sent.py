"""What was really sent is read off the bytes, for every protocol and every kind of thinking."""

from dataclasses import replace

import pytest

from recto.llm import PROTOCOL_IDS, SentParameters, Traits, load_protocol, read_sent
from recto.messages import Origin, Request, user

ASKED = Request("model", (user("Hi"),), 4_000, temperature=0.7, effort="high")
PLAIN = Traits(sampling=True)
EFFORTS = ("low", "medium", "high")


def sent(protocol: str, traits: Traits, request: Request = ASKED) -> SentParameters:
    origin = Origin(protocol, "account", "model")
    return read_sent(load_protocol(protocol).lower(request, traits, origin).body)


@pytest.mark.parametrize("protocol", PROTOCOL_IDS)
def test_a_temperature_is_told_only_if_it_is_sent(protocol: str) -> None:
    assert sent(protocol, PLAIN) == SentParameters(0.7, 4_000, None)
    assert sent(protocol, Traits()) == SentParameters(None, 4_000, None)
    assert sent(protocol, PLAIN, replace(ASKED, temperature=None)).temperature is None


@pytest.mark.parametrize(
    ("protocol", "traits", "told"),
    [
        ("openai-chat", Traits("effort", EFFORTS, sampling=True), (None, "high")),
        ("openai-responses", Traits("effort", EFFORTS, sampling=True), (None, "high")),
        ("anthropic-messages", Traits("adaptive", EFFORTS), (None, "high")),
        ("gemini", Traits("level", EFFORTS, sampling=True), (0.7, "HIGH")),
    ],
)
def test_how_hard_to_think_is_told_as_it_was_sent(
    protocol: str, traits: Traits, told: tuple[float | None, str]
) -> None:
    found = sent(protocol, traits)
    assert (found.temperature, (found.effort or "").lower()) == (told[0], told[1].lower())


def test_a_temperature_is_told_as_the_api_takes_it() -> None:
    assert sent("anthropic-messages", PLAIN, replace(ASKED, temperature=1.7)).temperature == 1.0


def test_a_number_of_tokens_to_think_is_told() -> None:
    body = b'{"thinking": {"type": "enabled", "budget_tokens": 2048}, "max_tokens": 9}'
    assert read_sent(body) == SentParameters(None, 9, "2,048 tokens")
