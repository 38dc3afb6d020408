"""Bringing a client's folders together with ours; the same comes out in any order of the rows.

First the versions decide, for each row by itself. Then all folders are looked at as they would be:
where something would be wrong, every row that moved a folder there is refused, and one looks again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recto.chats.library.folder_tree import above, find_faults
from recto.chats.library.requests import ClientGroup, SyncOutcome
from recto.colours import colour_of
from recto.storage import ChatGroup, RecordNotFound, Storage, WriteTransaction

MOST_GROUPS = 1000
TOO_MANY = f"A project has at most {MOST_GROUPS} folders."
GONE = "This folder was deleted."
ELSEWHERE = "There is or was something else with this id."

Groups = Mapping[str, ChatGroup]


async def sync_groups(
    storage: Storage, write: WriteTransaction, project_id: str, rows: Sequence[ClientGroup]
) -> tuple[SyncOutcome[ChatGroup], ...]:
    """Take what is newer, keep what is not; what became of each row, in their order."""
    known = {item.id: item for item in await storage.groups.list(project_id, within=write)}
    refused = await refusals(storage, write, project_id, known, rows)
    newer = [row for row in rows if row.id not in refused and is_newer(row, known.get(row.id))]
    new = placed(write, project_id, newer, known)
    new = {item.id: await moved_up(storage, write, {**known, **new}, item) for item in new.values()}
    refused.update(misplaced(known, new))
    for group_id in new.keys() - refused.keys():
        await storage.groups.put(write, new[group_id])
    results: list[SyncOutcome[ChatGroup]] = []
    for row in rows:
        if row.id in refused:
            results.append(SyncOutcome(row.id, "refused", known.get(row.id), refused[row.id]))
        elif row.id in new:
            results.append(SyncOutcome(row.id, "taken", new[row.id]))
        else:
            results.append(SyncOutcome(row.id, "kept", known[row.id]))
    return tuple(results)


async def refusals(
    storage: Storage,
    write: WriteTransaction,
    project_id: str,
    known: Groups,
    rows: Sequence[ClientGroup],
) -> dict[str, str]:
    """The rows that can't be taken whatever their version, and why."""
    strange = [row.id for row in rows if row.id not in known]
    found: dict[str, str] = {}
    for group_id in strange:
        try:
            group = await storage.groups.get(group_id, within=write)
        except RecordNotFound:
            continue
        found[group_id] = GONE if group.project_id == project_id else ELSEWHERE
    if len(known) + len(strange) - len(found) > MOST_GROUPS:
        found = {**dict.fromkeys(strange, TOO_MANY), **found}
    return found


def is_newer(row: ClientGroup, known: ChatGroup | None) -> bool:
    """Whether a row goes before what there is."""
    return known is None or (row.version is not None and row.version > known.version)


def placed(
    write: WriteTransaction, project_id: str, rows: Sequence[ClientGroup], known: Groups
) -> dict[str, ChatGroup]:
    """The folders as the rows say; those without a place come last."""
    last = max((group.position for group in known.values()), default=-1)
    made: dict[str, ChatGroup] = {}
    for row in rows:
        was, wanted = known.get(row.id), row.wanted
        position = row.position if was is None or row.position is not None else was.position
        if position is None:
            last = position = last + 1
        made[row.id] = ChatGroup(
            id=row.id,
            project_id=project_id,
            parent_id=wanted.parent_id,
            name=wanted.name,
            color=wanted.color or colour_of(wanted.name),
            position=position,
            default_context_ids=wanted.default_context_ids,
            default_skill_ids=wanted.default_skill_ids,
            created_ms=row.created_ms,
            updated_ms=write.now_ms,
            version=row.version or 1,
            deleted_ms=None,
        )
    return made


async def moved_up(
    storage: Storage, write: WriteTransaction, there: Groups, group: ChatGroup
) -> ChatGroup:
    """A folder that lies in a deleted one moves up, as those did that were known to lie in it."""
    parent_id, seen = group.parent_id, set[str]()
    while parent_id is not None and parent_id not in there and parent_id not in seen:
        seen.add(parent_id)
        try:
            parent = await storage.groups.get(parent_id, within=write)
        except RecordNotFound:
            break
        if parent.project_id != group.project_id:
            break
        parent_id = parent.parent_id
    return replace(group, parent_id=parent_id)


def misplaced(known: Groups, new: Groups) -> dict[str, str]:
    """The rows that put a folder where it can't lie, and why."""
    refused: dict[str, str] = {}
    while True:
        moved = {
            item for item in new.keys() - refused.keys() if has_moved(new[item], known.get(item))
        }
        parents = {item.id: item.parent_id for item in known.values()}
        parents |= {item: new[item].parent_id for item in moved}
        blamed: dict[str, str] = {}
        for wrong, words in find_faults(parents).items():
            # The nearest folder that a row moved: those above it may be where they should.
            nearest = next(
                (item for item in (wrong, *above(parents, wrong)) if item in moved), None
            )
            if nearest is not None:
                blamed[nearest] = words
        if not blamed:
            return refused
        refused |= blamed


def has_moved(group: ChatGroup, was: ChatGroup | None) -> bool:
    """Whether a folder lies elsewhere than before."""
    return was is None or was.parent_id != group.parent_id
