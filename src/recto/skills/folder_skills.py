"""The skills of a folder: where they stand, and what they say. Nothing of them counts by itself."""

import hashlib
from dataclasses import dataclass

from recto.skills.skill_file import BadSkill, SkillFile, read_skill_file
from recto.workspace import (
    FolderEntry,
    NotAFile,
    NotAFolder,
    OutsideWorkspace,
    PathHidden,
    PathNotFound,
    PathUnreadable,
    TooLarge,
    Workspace,
    WorkspaceFailure,
    content_hash,
)

PLACES = (".agents/skills", ".recto/skills")
FILE = "SKILL.md"
MOST_BYTES = 64_000
MOST_SKILLS = 200
MOST_LISTED = 1000
MOST_BESIDE = 100
MOST_HASHED = 2_000
MOST_BYTES_BESIDE = 20_000_000
DEEPEST = 4
TOO_LONG = f"{FILE} has more than {MOST_BYTES // 1000} KB. Move parts of it into files beside it."
TOO_MANY = f"Only the first {MOST_SKILLS} skills of a folder are read. Remove some."
TOO_MUCH = "Not all that lies beside it can be looked at, so nobody can agree to it."
NOT_TEXT = f"{FILE} is not UTF-8 text. Save it as UTF-8."


@dataclass(frozen=True, slots=True)
class FolderSkill:
    """A SKILL.md of the folder, readable or not."""

    path: str
    hash: str | None = None
    """Of its text and all that lies beside it; None when that could not be read."""
    file: SkillFile | None = None
    problem: str | None = None

    @property
    def id(self) -> str:
        """Named by where it stands, so that a changed text is the same skill."""
        return f"folder.{hashlib.sha256(self.path.encode()).hexdigest()[:8]}"

    @property
    def home(self) -> str:
        """The folder that it and its files are in."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """What it calls itself, or the name of its folder."""
        return self.file.name if self.file else self.home.rpartition("/")[2]


async def find_skills(workspace: Workspace) -> tuple[FolderSkill, ...]:
    """All skills of a folder, in the order of their paths; what is kept from the AI is not seen."""
    seen = workspace.for_tools()
    paths = [path for place in PLACES for path in await homes_in(seen, place)]
    found = [one for path in paths[:MOST_SKILLS] if (one := await read_found(seen, path))]
    rest = (
        FolderSkill(f"{path}/{FILE}", problem=TOO_MANY) for path in paths[MOST_SKILLS:MOST_LISTED]
    )
    return (*found, *rest)


async def homes_in(workspace: Workspace, place: str) -> list[str]:
    """The folders in which a skill may be."""
    try:
        entries = await workspace.list_folder(place)
    except (PathNotFound, NotAFolder, PathUnreadable):
        return []
    return [entry.path for entry in entries if entry.path and entry.kind in ("folder", "link")]


async def read_found(workspace: Workspace, home: str) -> FolderSkill | None:
    """The skill in a folder; None when there is none."""
    path = f"{home}/{FILE}"
    try:
        data = await workspace.read_bytes(path, max_bytes=MOST_BYTES)
    except TooLarge:
        return FolderSkill(path, problem=TOO_LONG)
    except (PathNotFound, NotAFolder):
        return None
    except WorkspaceFailure as failure:
        return FolderSkill(path, problem=str(failure))
    try:
        digest = await folder_hash(workspace, home, data)
    except WorkspaceFailure as failure:
        return FolderSkill(path, problem=f"{TOO_MUCH} {failure.message}")
    try:
        return FolderSkill(path, digest, read_skill_file(data.decode()))
    except UnicodeDecodeError:
        return FolderSkill(path, digest, problem=NOT_TEXT)
    except BadSkill as bad:
        return FolderSkill(path, digest, problem=str(bad))


async def folder_hash(workspace: Workspace, home: str, text: bytes) -> str:
    """What stands for a skill: its text and, by name and content, every file in its folder.

    Whoever agrees to a skill agrees to what it has the AI read and run. Raises a WorkspaceFailure.
    """
    told: list[str] = []
    folders = [home]
    while folders:
        for entry in await workspace.list_folder(folders.pop()):
            if entry.path is None or entry.path == f"{home}/{FILE}":
                continue
            if entry.kind == "folder":
                folders.append(entry.path)
                continue
            told.append(f"{entry.path} {await content_of(workspace, entry.path)}")
            if len(told) > MOST_HASHED:
                raise TooLarge(home, f"{MOST_HASHED:,} files")
    if not told:
        return content_hash(text)
    whole = "\n".join([content_hash(text), *sorted(told)])
    return content_hash(whole.encode("utf-8", "surrogatepass"))


async def content_of(workspace: Workspace, path: str) -> str:
    """What stands for a file beside a skill; a link that leads nowhere is nothing to read."""
    try:
        return content_hash(await workspace.read_bytes(path, max_bytes=MOST_BYTES_BESIDE))
    except (PathNotFound, NotAFile, NotAFolder, OutsideWorkspace, PathHidden):
        return "nothing"


async def files_beside(workspace: Workspace, home: str) -> tuple[str, ...]:
    """The files of a skill besides its text, by their paths in its folder, not too many."""
    found: list[str] = []
    folders = [(home, 1)]
    while folders and len(found) < MOST_BESIDE:
        folder, depth = folders.pop(0)
        for entry in await entries_of(workspace, folder):
            if entry.path is None or entry.path == f"{home}/{FILE}":
                continue
            if entry.kind == "folder" and depth < DEEPEST:
                folders.append((entry.path, depth + 1))
            elif entry.kind in ("file", "link"):
                found.append(entry.path.removeprefix(f"{home}/"))
    return tuple(found[:MOST_BESIDE])


async def entries_of(workspace: Workspace, folder: str) -> tuple[FolderEntry, ...]:
    """What is in a folder; nothing when it went meanwhile."""
    try:
        return await workspace.list_folder(folder)
    except WorkspaceFailure:
        return ()
