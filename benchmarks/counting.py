"""How well prompts are counted before they are sent: Recto against four characters a token.

The truth is what other vocabularies than Recto's own report for the same prompts: cl100k_base by
OpenAI's rule for chats, and the built-in model's own report. Half of the prompts teach, the other
half is measured: calibrated by prompts of every kind, and by those of the same kind, as in a chat
that stays with its subject. Prints mean errors; fails when calibrated is worse than naive.
"""

import asyncio
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from recto.context import TokenCalibration, TokenCounter
from recto.llm.builtin import BuiltinModel, find_missing_requirement
from recto.messages import Finished, Request, assistant, user

ROOT = Path(__file__).resolve().parent.parent
CHARACTERS = 4000
PROMPTS_OF_A_KIND = 24
# A small model on a processor reads slowly.
CHARACTERS_BUILTIN = 500
PROMPTS_OF_A_KIND_BUILTIN = 8
SYSTEM = "You help with a folder of documents, code and data."
KINDS = {
    "prose": ["*.md", "docs/*.md", "sample/**/*.md"],
    "code": ["src/recto/context/*.py", "src/recto/access/*.py", "web/src/*/state/*.ts"],
    "data": ["sample/**/*.csv", "sample/**/*.bib", "src/recto/access/data/*.json"],
}
CJK = (
    "潮位計は潮汐とそれ以外のすべてを同時に記録する。観測所の記録は百年を超え、海面の上昇を示している。",
    "验潮仪同时记录潮汐和其他一切变化。布雷斯特站的记录超过一百年,显示海平面正在上升。",
    "조위계는 조석과 그 밖의 모든 변화를 함께 기록한다. 브레스트의 기록은 백 년이 넘는다.",
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request, and what kind of text is in it."""

    kind: str
    request: Request

    @property
    def characters(self) -> int:
        """The length of everything that is said in it."""
        texts = [self.request.system, *(message.text for message in self.request.messages)]
        return sum(len(text) for text in texts)


def prompts(count: int, characters: int) -> list[Prompt]:
    """So many prompts of every kind, in an order that is always the same."""
    chance = Random(20261115)
    found = [
        prompt_of(kind, chance, "".join(read(pattern) for pattern in patterns), characters)
        for kind, patterns in KINDS.items()
        for _ in range(count)
    ]
    found += [prompt_of("CJK", chance, cjk(chance), characters) for _ in range(count)]
    chance.shuffle(found)
    return found


def read(pattern: str) -> str:
    """All files of a pattern."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern)))


def cjk(chance: Random) -> str:
    """A text in three languages, its sentences in any order."""
    return "".join(chance.choices(CJK, k=200))


def prompt_of(kind: str, chance: Random, text: str, characters: int) -> Prompt:
    """A short chat about a piece of a text."""
    size = chance.randrange(characters // 2, characters)
    at = chance.randrange(len(text) - size)
    said = (user("What is this?"), assistant("Show it to me."), user(text[at : at + size]))
    return Prompt(kind, Request("m", said, max_output=1, system=SYSTEM))


def count_cl100k(request: Request) -> int:
    """What OpenAI's older chat models report: three tokens a message, its role, and three more."""
    vocabulary: Any = import_module("bpe_openai").get_encoding("cl100k_base")
    texts = [request.system, *(message.text for message in request.messages)]
    return 3 + sum(4 + len(vocabulary.encode_ordinary(text)) for text in texts)


async def ask_builtin(found: list[Prompt]) -> list[int]:
    """What the built-in model reports for each prompt."""
    model = BuiltinModel()
    reports: list[int] = []
    try:
        for prompt in found:
            *_, end = [event async for event in model.stream(prompt.request)]
            assert isinstance(end, Finished)
            assert end.usage is not None, end.failure
            reports.append(end.usage.prompt)
    finally:
        await model.close()
    return reports


@dataclass(frozen=True, slots=True)
class Errors:
    """Mean errors of the measured half, as fractions of the truth."""

    naive: float
    before: float
    mixed: float
    """Calibrated by prompts of every kind."""
    own: float
    """Calibrated by prompts of the same kind only."""


def errors(found: list[Prompt], reports: list[int], kind: str | None = None) -> Errors:
    """Teach with the first half, measure the second, all of it or one kind."""
    counter = TokenCounter(TokenCalibration())
    half = len(found) // 2
    for prompt, report in zip(found[:half], reports[:half], strict=True):
        counter.learn("any", prompt.request, report)
        counter.learn(prompt.kind, prompt.request, report)
    measured = [
        (prompt, report)
        for prompt, report in zip(found[half:], reports[half:], strict=True)
        if kind in (None, prompt.kind)
    ]

    def mean(count: Callable[[Prompt], float]) -> float:
        return statistics.fmean(abs(count(item) - report) / report for item, report in measured)

    return Errors(
        naive=mean(lambda one: one.characters / 4),
        before=mean(lambda one: counter.request(one.request, "nobody")),
        mixed=mean(lambda one: counter.request(one.request, "any")),
        own=mean(lambda one: counter.request(one.request, one.kind)),
    )


def compare(name: str, found: list[Prompt], reports: list[int]) -> bool:
    """Print one vocabulary's errors; whether the calibrated count is the better one."""
    half = len(found) // 2
    print(f"{name}: mean error of {half} prompts, after {half} that taught")
    print(f"{'':8}{'4 characters':>14}{'uncalibrated':>14}{'by all kinds':>14}{'by its own':>12}")
    for kind in (None, *KINDS, "CJK"):
        one = errors(found, reports, kind)
        told = f"{one.naive:14.1%}{one.before:14.1%}{one.mixed:14.1%}{one.own:12.1%}"
        print(f"{kind or 'all':8}{told}")
    whole = errors(found, reports)
    closer = whole.naive / whole.mixed, whole.naive / whole.own
    print(f"{closer[0]:.1f} × and {closer[1]:.1f} × closer than four characters", flush=True)
    return min(closer) > 1


def main() -> None:
    """Count, print, and judge."""
    found = prompts(PROMPTS_OF_A_KIND, CHARACTERS)
    is_better = compare("cl100k_base", found, [count_cl100k(item.request) for item in found])
    lack = find_missing_requirement()
    if lack is None:
        found = prompts(PROMPTS_OF_A_KIND_BUILTIN, CHARACTERS_BUILTIN)
        is_better &= compare("SmolLM2", found, asyncio.run(ask_builtin(found)))
    else:
        print(f"Without the built-in model: {lack.message} {lack.remedy}")
    if not is_better:
        sys.exit("counting: the calibrated count is no better than four characters a token.")


if __name__ == "__main__":
    main()
