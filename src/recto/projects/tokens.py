"""How many tokens a choice of files, contexts, skills and a prompt takes, in all and each.

A file that several of them name is sent once. So there are two sums: one that counts it each time
it is named, and one, for what is really sent, that counts it once.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import anyio.to_thread

from recto.context import TokenCounter
from recto.projects.contexts import Contexts
from recto.projects.failures import TooManyFiles
from recto.projects.file_counts import FileCounts, refuse_outside
from recto.workspace import Workspace

MOST_FILES = 10_000


class SkillText(Protocol):
    """What a skill that is on brings along."""

    @property
    def prompt(self) -> str: ...
    @property
    def files(self) -> Sequence[str]: ...


class SkillSource(Protocol):
    """Where skills are found."""

    async def usable(self, project_id: str, ids: Sequence[str]) -> Sequence[SkillText]:
        """These skills, in this order. Raises for one that is not there or not trusted."""
        ...


@dataclass(frozen=True, slots=True)
class TokenSelection:
    """What could go along with a message."""

    files: Sequence[str] = ()
    context_ids: Sequence[str] = ()
    skill_ids: Sequence[str] = ()
    additional_prompt: str = ""


@dataclass(frozen=True, slots=True)
class SkillPart:
    """The tokens of a skill's prompt, and its files."""

    prompt: int
    files: Sequence[str]


@dataclass(frozen=True, slots=True)
class CountedParts:
    """What is counted: the names of files wherever they stand, and what else has tokens."""

    files: Sequence[str]
    contexts: Mapping[str, Sequence[str]]
    skills: Mapping[str, SkillPart]
    additional_prompt: int

    def groups(self) -> list[frozenset[str]]:
        """The files that each part names; one that names a file twice names it once."""
        named = [
            self.files,
            *self.contexts.values(),
            *(skill.files for skill in self.skills.values()),
        ]
        return [frozenset(files) for files in named]


@dataclass(frozen=True, slots=True)
class TokenTally:
    """The sums. `total` counts a file for each part that names it, `deduplicated` once."""

    total: int
    deduplicated: int
    files: Mapping[str, int]
    contexts: Mapping[str, int]
    skills: Mapping[str, int]
    additional_prompt: int
    overlapping: Sequence[str]
    missing: Sequence[str] = ()
    unreadable: Sequence[tuple[str, str]] = ()


def add_up(parts: CountedParts, tokens: Mapping[str, int]) -> TokenTally:
    """The sums over everything; a file without tokens is not there and counts nowhere."""

    def of(files: Sequence[str]) -> int:
        return sum(tokens.get(path, 0) for path in frozenset(files))

    contexts = {key: of(files) for key, files in parts.contexts.items()}
    skills = {key: skill.prompt + of(skill.files) for key, skill in parts.skills.items()}
    times = Counter(path for group in parts.groups() for path in group if path in tokens)
    files = {path: tokens[path] for path in sorted(times)}
    prompts = parts.additional_prompt + sum(skill.prompt for skill in parts.skills.values())
    return TokenTally(
        total=prompts + sum(tokens[path] * often for path, often in times.items()),
        deduplicated=prompts + sum(files.values()),
        files=files,
        contexts=contexts,
        skills=skills,
        additional_prompt=parts.additional_prompt,
        overlapping=[path for path in files if times[path] > 1],
    )


class SelectionCounter:
    """Counts what people choose, before they send it."""

    def __init__(
        self,
        contexts: Contexts,
        counts: FileCounts,
        skills: SkillSource,
        counter: TokenCounter,
        open_workspace: Callable[[str], Awaitable[Workspace]],
    ) -> None:
        self._contexts = contexts
        self._counts = counts
        self._skills = skills
        self._counter = counter
        self._open_workspace = open_workspace

    async def calculate(
        self, project_id: str, chosen: TokenSelection, model: str = ""
    ) -> TokenTally:
        """The tokens of a choice, as `model` would count them.

        Raises PathRefused, RecordNotFound.
        """
        workspace = await self._open_workspace(project_id)
        parts = await self._parts(project_id, chosen, model)
        paths = sorted(frozenset[str]().union(*parts.groups()))
        if len(paths) > MOST_FILES:
            raise TooManyFiles(len(paths), MOST_FILES)
        found = await self._counts.of(workspace, paths)
        refuse_outside(found.failures, chosen.files)
        apply = self._counter.calibration.apply
        tokens = {path: apply(count, model) for path, count in found.counts.items()}
        tokens |= dict.fromkeys(found.unreadable, 0)
        tally = add_up(parts, tokens)
        return replace(
            tally, missing=found.missing, unreadable=tuple(sorted(found.unreadable.items()))
        )

    async def _parts(self, project_id: str, chosen: TokenSelection, model: str) -> CountedParts:
        context_ids, skill_ids = unique(chosen.context_ids), unique(chosen.skill_ids)
        contexts = await self._contexts.files_of(project_id, context_ids)
        skills = await self._skills.usable(project_id, skill_ids) if skill_ids else ()
        texts = [chosen.additional_prompt, *(skill.prompt for skill in skills)]
        prompt, *prompts = await anyio.to_thread.run_sync(
            lambda: [self._counter.text(text, model) for text in texts]
        )
        together = zip(skill_ids, prompts, skills, strict=True)
        return CountedParts(
            files=chosen.files,
            contexts=contexts,
            skills={key: SkillPart(tokens, item.files) for key, tokens, item in together},
            additional_prompt=prompt,
        )


def unique(ids: Sequence[str]) -> list[str]:
    """Each id once, in order."""
    return list(dict.fromkeys(ids))
