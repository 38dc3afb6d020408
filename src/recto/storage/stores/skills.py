"""Skills that people wrote themselves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from recto.storage.library import skills
from recto.storage.records import Skill
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.shelf import Shelf
from recto.storage.transactions import Transactions, Write


class SkillStore(Shelf[Skill]):
    """Skills by id and by project."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        super().__init__(transactions, changes, skills, "skill", _skill)

    async def add(
        self,
        write: Write,
        *,
        id: str,
        project_id: str,
        name: str,
        description: str,
        prompt: str,
        color: str,
        files: Sequence[str] = (),
        tools: Sequence[str] = (),
        model: str | None = None,
    ) -> Skill:
        """Keep a new skill.

        Raises:
            AlreadyExists: the id has a skill.
            NotFound: there is no such project.
        """
        skill = Skill(
            id,
            project_id,
            name,
            description,
            prompt,
            color,
            tuple(files),
            tuple(tools),
            model,
            write.now_ms,
            None,
            1,
        )
        values = {field: getattr(skill, field) for field in Skill.__slots__}
        lists = {"files": list(files), "tools": list(tools)}
        return await self._insert(write, skill, {**values, **lists})

    async def update(
        self,
        write: Write,
        skill_id: str,
        *,
        name: str,
        description: str,
        prompt: str,
        color: str,
        files: Sequence[str],
        tools: Sequence[str],
        model: str | None,
        expected_version: int,
    ) -> Skill:
        """Change a skill, if nobody else did meanwhile.

        Raises:
            StaleVersion: somebody did.
            NotFound: there is no such skill.
        """
        values = {
            "name": name,
            "description": description,
            "prompt": prompt,
            "color": color,
            "files": list(files),
            "tools": list(tools),
            "model": model,
        }
        return await self._change(write, skill_id, expected_version, values)


def _skill(row: Sequence[Any]) -> Skill:
    skill = Skill(*row)
    return replace(skill, files=tuple(skill.files), tools=tuple(skill.tools))
