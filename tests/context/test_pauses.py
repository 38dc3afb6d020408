"""Answers that paused: nobody speaks before they go on."""

import pytest

from recto.context import goes_on, joined, mark_cache, prepare, repair
from recto.context.repair import GO_ON
from recto.messages import (
    CacheMarks,
    Message,
    Native,
    Origin,
    ProviderData,
    Request,
    Text,
    ToolCall,
    assistant,
    user,
)

CLAUDE = Origin("anthropic-messages", "a", "claude")
GEMINI = Origin("gemini", "a", "gemini")
SEARCH = Native(
    ProviderData(CLAUDE, {"block": {"type": "server_tool_use", "id": "s1", "name": "web_search"}})
)
FOUND = Native(
    ProviderData(CLAUDE, {"block": {"type": "web_search_tool_result", "tool_use_id": "s1"}})
)
TOKEN = Native(ProviderData(GEMINI, {"continuation": "T1="}))
CODE = Native(ProviderData(GEMINI, {"part": {"executableCode": {"code": "1"}}}))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(assistant("Let me see.", SEARCH), True, id="A20"),
        pytest.param(assistant("One, ", TOKEN), True, id="G21"),
        pytest.param(assistant(SEARCH, FOUND), False, id="its-call-has-a-result"),
        pytest.param(assistant(SEARCH, "Found."), False, id="words-follow"),
        pytest.param(assistant("Look:", CODE), False, id="another-native-part"),
        pytest.param(assistant(ToolCall("c", "read", {}), SEARCH), False, id="a-tool-is-waiting"),
        pytest.param(assistant("Done."), False, id="plain"),
        pytest.param(assistant(), False, id="empty"),
        pytest.param(user("One, ", TOKEN), False, id="the-users"),
    ],
)
def test_a_paused_answer_is_told_by_how_it_ends(message: Message, expected: bool) -> None:
    assert goes_on(message) is expected


@pytest.mark.parametrize(
    ("origin", "paused"), [(CLAUDE, SEARCH), (GEMINI, TOKEN)], ids=["A20", "G21"]
)
def test_nothing_is_said_after_a_paused_answer(origin: Origin, paused: Native) -> None:
    talk = (user("Count."), assistant("One, ", paused))
    request = Request("m", talk, 100)
    assert prepare(request, origin, binds_prefix=True) == request


def test_a_pause_of_another_model_is_none() -> None:
    talk = (user("Count."), assistant("One, ", TOKEN))
    assert repair(talk, CLAUDE) == (user("Count."), assistant("One, "), user(GO_ON))


def test_a_pause_that_the_user_spoke_after_is_over() -> None:
    talk = (user("Count."), assistant("One, ", TOKEN), user("Stop."))
    assert repair(talk, GEMINI) == talk


def test_while_an_answer_goes_on_the_cache_mark_stays_before_it() -> None:
    request = Request("m", (user("Count."), assistant(SEARCH)), 100)
    assert mark_cache(request).cache == CacheMarks(messages=(0,))


def test_G21_words_are_joined_and_the_token_is_spent() -> None:
    found = joined(assistant("One, ", TOKEN), assistant("two."))
    assert found == assistant("One, two.")


def test_A20_the_providers_own_blocks_stay_in_their_order() -> None:
    found = joined(assistant("Well. ", SEARCH), assistant(FOUND, "Found."))
    assert found == assistant("Well. ", SEARCH, FOUND, "Found.")


def test_words_that_are_signed_stay_apart() -> None:
    signed = Text("One, ", ProviderData(GEMINI, {"signature": "s"}))
    assert joined(assistant(signed, TOKEN), assistant("two.")) == assistant(signed, "two.")


def test_an_answer_that_did_not_go_on_can_still_do_so() -> None:
    paused = assistant("One, ", TOKEN)
    assert joined(paused, assistant()) == paused
