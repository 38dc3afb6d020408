"""How good the quick transforms of the built-in model are, on a hundred passages.

Each transform is asked for exactly as the product does it, and its answer is held to a plain rule:

- every transform: the name, the place and the number of the passage are still there, no other
  number is, no sentence stands twice, and nothing is said about the task ("Here is…");
- improve: between 0.6 and 1.5 times the length, half of the words that matter kept, not the same;
- shorten: between 0.25 and 0.8 times the length, four of five words that matter come from it;
- expand: between 1.4 and 3 times the length, half of the words that matter kept;
- fix: six mistakes were put in; at least half of the wrong words are right again, and at most two
  other words are changed;
- translate, into German: one word in five is one of German's commonest, one in twenty of English's.

A transform is good enough when 80 of 100 answers keep the rule. What is offered with the built-in
model stands in `access/data/models.json`; the run fails when that is not what was measured. A
number as argument takes that many passages, without a verdict.
"""

import asyncio
import random
import re
import sys
from collections.abc import Callable
from datetime import date
from difflib import SequenceMatcher

from benchmarks.passages.made import Passage, passages
from recto.access import load_catalogue
from recto.chats.prompts.request import STEADY
from recto.context import TRANSFORMS, SystemParts, document_prompt, read_passage
from recto.llm import BuiltinModel
from recto.messages import Finished, Request, user

MODEL = "smollm2-135m"
GOOD_ENOUGH = 0.8
MOST_TOKENS = 512
LANGUAGE = "German"
CHATTER = re.compile(
    r"(here('s| is| are)|sure|certainly|of course|i have|i'?ll|the (new|revised|rewritten)\b.*:)",
    re.IGNORECASE,
)
GERMAN = frozenset(
    [
        "der",
        "die",
        "das",
        "und",
        "ist",
        "in",
        "den",
        "von",
        "zu",
        "mit",
        "sich",
        "des",
        "auf",
        "für",
        "im",
        "dem",
        "nicht",
        "ein",
        "eine",
        "als",
        "auch",
        "es",
        "an",
        "werden",
        "aus",
        "er",
        "hat",
        "dass",
        "sie",
        "nach",
        "bei",
        "einer",
        "um",
        "am",
        "sind",
        "noch",
        "wie",
        "einem",
        "über",
        "so",
        "zum",
        "war",
        "haben",
        "nur",
        "oder",
        "aber",
        "vor",
        "zur",
        "bis",
        "mehr",
        "durch",
        "man",
        "sein",
        "wurde",
    ]
)
ENGLISH = frozenset(
    [
        "the",
        "of",
        "and",
        "to",
        "in",
        "is",
        "that",
        "for",
        "it",
        "was",
        "on",
        "with",
        "as",
        "are",
        "be",
        "at",
        "this",
        "from",
        "by",
        "have",
        "an",
        "they",
        "which",
        "you",
        "were",
        "has",
        "not",
        "but",
        "their",
        "all",
        "when",
        "there",
        "would",
    ]
)
MISTAKES = 6


def words(text: str) -> list[str]:
    """The words of a text, without the signs around them."""
    return re.findall(r"[\w',]*\w", text)


def content(text: str) -> set[str]:
    """The words that matter, by their beginnings."""
    return {word.lower()[:6] for word in words(text) if len(word) > 4}


def numbers(text: str) -> set[str]:
    """The numbers of a text."""
    return {item.strip(",.") for item in re.findall(r"\d[\d,.]*", text)}


def is_sound(passage: Passage, answer: str) -> bool:
    """What every transform has to keep."""
    sentences = [item.strip() for item in re.split(r"(?<=[.!?])\s+", answer) if item.strip()]
    return (
        all(fact in answer for fact in passage.facts)
        and numbers(answer) <= numbers(passage.text)
        and len(sentences) == len(set(sentences))
        and CHATTER.match(answer) is None
    )


def ratio(passage: Passage, answer: str) -> float:
    """How long the answer is beside the passage."""
    return len(words(answer)) / len(words(passage.text))


def kept(passage: Passage, answer: str) -> float:
    """How many of the words that matter are still there."""
    return len(content(passage.text) & content(answer)) / len(content(passage.text))


def improves(passage: Passage, answer: str) -> bool:
    """Another wording of the same."""
    is_other = answer != passage.text
    return is_other and 0.6 <= ratio(passage, answer) <= 1.5 and kept(passage, answer) >= 0.5


def shortens(passage: Passage, answer: str) -> bool:
    """Less of the same."""
    own = len(content(answer) & content(passage.text)) / max(1, len(content(answer)))
    return 0.25 <= ratio(passage, answer) <= 0.8 and own >= 0.8


def expands(passage: Passage, answer: str) -> bool:
    """More of the same."""
    return 1.4 <= ratio(passage, answer) <= 3 and kept(passage, answer) >= 0.5


def changed(one: str, other: str) -> int:
    """How many words differ."""
    steps = SequenceMatcher(None, one.split(), other.split(), autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for tag, a, b, c, d in steps if tag != "equal")


def fixes(passage: Passage, answer: str) -> bool:
    """The passage as it was before the mistakes."""
    return changed(passage.text, answer) <= MISTAKES // 2 + 2 and answer != broken(passage)


def translates(passage: Passage, answer: str) -> bool:
    """The same in German."""
    found = [word.lower() for word in words(answer)]
    german = sum(word in GERMAN for word in found) / max(1, len(found))
    english = sum(word in ENGLISH for word in found) / max(1, len(found))
    return 0.6 <= ratio(passage, answer) <= 1.6 and german >= 0.2 and english <= 0.05


def broken(passage: Passage) -> str:
    """The passage with six misspelt words, always the same ones."""
    chance = random.Random(passage.text)
    parts = passage.text.split(" ")
    long = [
        at for at, part in enumerate(parts) if part.isalpha() and part.islower() and len(part) > 3
    ]
    for at in chance.sample(long, MISTAKES):
        word = parts[at]
        cut = chance.randrange(1, len(word) - 1)
        swapped = word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :]
        parts[at] = swapped if swapped != word else word + word[-1]
    return " ".join(parts)


RULES: dict[str, Callable[[Passage, str], bool]] = {
    "improve": improves,
    "shorten": shortens,
    "expand": expands,
    "fix": fixes,
    "translate": translates,
}


async def answer_to(model: BuiltinModel, request: str, text: str) -> str:
    """What the model makes of a text, as the product asks and reads it."""
    parts = SystemParts(today=date(2026, 1, 1))
    system = document_prompt(parts, steps=1, rewrites=True, is_small=True)
    asked = Request(
        MODEL,
        (user(f"{request}\n\n{text}"),),
        MOST_TOKENS,
        system=system,
        temperature=STEADY,
    )
    async for event in model.stream(asked):
        if isinstance(event, Finished):
            if event.failure is not None:
                raise RuntimeError(event.failure.message)
            return read_passage(event.message.text, text) if event.reason == "end_turn" else ""
    raise AssertionError("an answer always ends")


async def measure(count: int) -> dict[str, float]:
    """The share of good answers of each transform."""
    model = BuiltinModel(idle_s=None)
    shares: dict[str, float] = {}
    chosen = passages()[:: max(1, 100 // count)][:count]
    try:
        for transform in TRANSFORMS:
            request = transform.request(LANGUAGE if transform.argument else None)
            good = 0
            for passage in chosen:
                text = broken(passage) if transform.id == "fix" else passage.text
                found = await answer_to(model, request, text)
                good += is_sound(passage, found) and RULES[transform.id](passage, found)
            shares[transform.id] = good / len(chosen)
            print(f"{transform.id:10} {good:3} of {len(chosen)} passages", flush=True)
    finally:
        await model.close()
    return shares


def main() -> None:
    """Measure, and compare with what is offered."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    shares = asyncio.run(measure(count))
    good = {name for name, share in shares.items() if share >= GOOD_ENOUGH}
    known = load_catalogue().known(f"builtin/{MODEL}")
    assert known is not None
    print(f"good enough: {', '.join(sorted(good)) or 'none'}")
    if count == 100 and set(known.transforms or ()) != good:
        sys.exit(f"Offered with the built-in model: {', '.join(known.transforms or ()) or 'none'}.")


if __name__ == "__main__":
    main()
