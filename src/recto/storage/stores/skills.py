"""Skills that people wrote themselves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from recto.storage.records import SkillRecord
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.versioned_table import VersionedTable
from recto.storage.tables.library import skills
from recto.storage.transactions import Transactions, WriteTransaction


class SkillStore(VersionedTable[SkillRecord]):
    """Skills by id and by project."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        super().__init__(transactions, changes, skills, "skill", _skill)

    async def add(
        self,
        write: WriteTransaction,
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
    ) -> SkillRecord:
        """Keep a new skill.

        Raises:
            RecordExists: the id has a skill.
            RecordNotFound: there is no such project.
        """
        skill = SkillRecord(
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
        values = {field: getattr(skill, field) for field in SkillRecord.__slots__}
        lists = {"files": list(files), "tools": list(tools)}
        return await self._insert(write, skill, {**values, **lists})

    async def update(
        self,
        write: WriteTransaction,
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
    ) -> SkillRecord:
        """Change a skill, if nobody else did meanwhile.

        Raises:
            StaleVersion: somebody did.
            RecordNotFound: there is no such skill.
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


def _skill(row: Sequence[Any]) -> SkillRecord:
    skill = SkillRecord(*row)
    return replace(skill, files=tuple(skill.files), tools=tuple(skill.tools))
