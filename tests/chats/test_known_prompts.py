"""A request that is made from what is new since the last one is the one made from everything."""

import random
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from recto.access import Access
from recto.chats.history.entries import (
    Accounting,
    AnswerSource,
    Assistant,
    AttachedText,
    ChatEntry,
    EntryConfidence,
    EntryContent,
    Summary,
    Totals,
    User,
)
from recto.chats.prompts.base import PromptBase
from recto.chats.prompts.known_prompts import KnownPrompts
from recto.chats.prompts.request import PreparedRequest, prepare_request
from recto.context import TokenCalibration, TokenCounter, TooLong
from recto.messages import Text, Thinking, user
from tests.chats.record.runs import MODELS
from tests.chats.record.test_setting import GROUND, access_to
from tests.examples import examples

UNSURE = EntryConfidence(None, "unknown")
SOURCE = AnswerSource("r", "h", "t")


def entry(number: int, content: EntryContent) -> ChatEntry:
    return ChatEntry(f"e{number}", number, 0, content)


def answer(text: str) -> Assistant:
    parts = (Thinking("hm"), Text(text))
    return Assistant(parts, "t", 1, "m", "M", "stop", None, None, UNSURE, SOURCE)


def asked(number: int) -> User:
    file = AttachedText("a.md", f"text {number % 3}", str(number % 3))
    return User(f"question {number}", "t", (file,) if number % 2 else (), meta=f"state {number}")


@dataclass
class RandomChat:
    """A chat to which anything happens."""

    dice: random.Random
    accesses: list[Access]
    counter: TokenCounter
    entries: list[ChatEntry] = field(default_factory=list[ChatEntry])
    base: PromptBase = GROUND
    pins: frozenset[str] = frozenset()
    number: int = 0

    def __post_init__(self) -> None:
        self.access = self.accesses[0]

    def talk(self) -> None:
        for _ in range(self.dice.randint(1, 2)):
            self.number += 2
            self.entries += [
                entry(self.number, asked(self.number)),
                entry(self.number + 1, answer(f"a{self.number}")),
            ]

    def change_history(self) -> None:
        """An edit or a branch, a summary that comes or is taken off."""
        dice, entries, number = self.dice, self.entries, self.number
        match dice.randrange(5):
            case 0:
                self.entries = entries[: dice.randrange(len(entries)) + 1]
            case 1:
                at = dice.randrange(len(entries))
                entries[at] = entry(entries[at].seq, asked(dice.randrange(100)))
            case 2:
                summary = entry(number + 100, Summary("so far", "m", None, None))
                self.entries = [summary, *entries[-4:]]
            case 3:
                self.entries = [one for one in entries if not isinstance(one.content, Summary)]
            case _:
                entries.append(entry(number + 50, Accounting("edit", 1, 1, Totals())))

    def change_setting(self) -> None:
        """Another model, other pins or tools, another count of tokens."""
        dice, base = self.dice, self.base
        match dice.randrange(6):
            case 0:
                self.access = dice.choice(self.accesses)
            case 1 if self.entries:
                self.pins = frozenset({dice.choice(self.entries).id})
            case 2:
                self.base = replace(base, tools=() if base.tools else GROUND.tools)
            case 3:
                self.base = replace(base, thoughts_from=dice.randrange(self.number))
            case 4:
                self.base = replace(base, tells_meta=not base.tells_meta)
            case _:
                self.counter.calibration.factors[self.access.id] = (dice.uniform(0.5, 2), 1.0)

    def prepared(self, known: KnownPrompts | None) -> PreparedRequest | TooLong:
        question = entry(self.number + 3, asked(self.number))
        return prepare_request(
            [*self.entries, question],
            self.base,
            self.access,
            self.counter,
            chat_id="c",
            pins=self.pins,
            known=known,
        )


@pytest.mark.parametrize("seed", range(examples(20)))
def test_whatever_happens_to_a_chat(seed: int, tmp_path: Path) -> None:
    accesses = [access_to(model, tmp_path) for model in MODELS.values()]
    accesses.append(replace(accesses[0], window=2_000, max_output=500))
    chat = RandomChat(random.Random(seed), accesses, TokenCounter(TokenCalibration()))
    known = KnownPrompts()
    for _ in range(40):
        chat.talk()
        chat.dice.choice([chat.change_history, chat.change_setting, chat.talk])()
        grown, anew = chat.prepared(known), chat.prepared(None)
        if isinstance(anew, PreparedRequest):
            assert isinstance(grown, PreparedRequest)
            assert grown.request == anew.request
            assert grown.prompt == anew.prompt
            assert grown.prompt.slices == anew.prompt.slices
        else:
            assert grown == anew


def test_a_question_beside_is_asked_whatever_is_known(tmp_path: Path) -> None:
    access = access_to(next(iter(MODELS.values())), tmp_path)
    entries = [entry(1, asked(1)), entry(2, answer("yes"))]
    beside = user("Sum it up.")
    prepared = prepare_request(
        entries,
        GROUND,
        access,
        TokenCounter(TokenCalibration()),
        chat_id="c",
        request=beside,
        known=KnownPrompts(),
    )
    assert isinstance(prepared, PreparedRequest)
    assert prepared.request.messages[-1] == beside
