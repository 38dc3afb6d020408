"""All that works behind the server and the commands: store, models, folders, tools, chats."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from recto.agent import Limits
from recto.app.asking import Asking, open_asking
from recto.app.documents import LiveDocuments
from recto.app.margin import follow_files
from recto.app.store import open_store
from recto.app.suggesting import trusted_instructions
from recto.assist import CalibrationReports, Suggestions
from recto.chats import (
    Approvals,
    Archive,
    Chats,
    Groups,
    Journals,
    Means,
    Proposals,
    Threads,
    Wishes,
)
from recto.chats.inputs import input_of
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Preferences, Settings, Trust
from recto.context import Transform
from recto.margin import Notes
from recto.projects import (
    Contexts,
    Feed,
    FileCounts,
    FilesChanged,
    Projects,
    Tokens,
    Workspaces,
)
from recto.reviews import Authorships, Commits, Edits, Reviews, Versions
from recto.skills import Skills
from recto.storage import Storage
from recto.tools import Toolboxes


@dataclass(frozen=True, slots=True)
class Working:
    """The services of one Recto home, ready to use."""

    storage: Storage
    preferences: Preferences
    asking: Asking
    projects: Projects
    feed: Feed
    workspaces: Workspaces
    documents: LiveDocuments
    tools: Toolboxes
    chats: Chats
    groups: Groups
    reviews: Reviews
    commits: Commits
    authorships: Authorships
    versions: Versions
    suggestions: Suggestions
    calibration: CalibrationReports
    notes: Notes
    threads: Threads
    proposals: Proposals
    skills: Skills
    contexts: Contexts
    tokens: Tokens


@asynccontextmanager
async def open_working(
    home: Home,
    settings: Settings,
    folder: Path,
    clock: SystemClock,
    ids: SystemIds,
    *,
    has_reviewer: bool = True,
) -> AsyncGenerator[Working]:
    """Everything, for the length of the block. Turns that a crash cut off are brought to an end.

    Where nobody can review, edits of AI hold at once.
    """
    async with (
        open_store(home, settings, clock) as storage,
        open_asking(home, settings, storage, clock, ids) as asking,
        anyio.create_task_group() as tasks,
    ):
        preferences = Preferences(home, settings)
        projects = Projects(storage, ids=ids, start_folder=folder, records=home.folder)
        feed = Feed(storage)
        tasks.start_soon(feed.run)
        workspaces = Workspaces(projects, feed, tasks, records=home.folder)
        tasks.start_soon(workspaces.run)
        documents = LiveDocuments(workspaces, feed, storage, clock=clock, tasks=tasks)
        tasks.start_soon(documents.run)
        edits = Edits(
            storage,
            ids,
            open_documents=documents.get,
            open_workspace=workspaces.get,
            asks=lambda: preferences.chats.review == "ask",
            has_reviewer=has_reviewer,
        )
        notes = Notes(storage, ids, clock, open_documents=documents.get)
        tasks.start_soon(follow_files, feed, notes)
        commits = Commits(
            edits,
            is_wanted=lambda: preferences.chats.commit_accepted,
            request_of=lambda run: input_of(run.body).text,
            tell=lambda project_id, words: feed.tell(git_note(project_id, words)),
        )
        toolboxes = Toolboxes(home)
        skills = Skills(storage, ids, Trust(home), workspaces.get, asking.counter)
        counts = FileCounts(storage, clock, tasks)
        contexts = Contexts(storage, counts, ids=ids, clock=clock, open_workspace=workspaces.get)
        means = Means(
            storage=storage,
            archive=Archive(storage, ids),
            journals=Journals(storage),
            approvals=Approvals(),
            models=asking.models,
            questions=asking.questions,
            counter=asking.counter,
            open_workspace=workspaces.get,
            open_toolbox=toolboxes.open,
            open_documents=documents.get,
            edits=edits,
            commits=commits if has_reviewer else None,
            notes=notes,
            skills=skills,
            trust=Trust(home),
            save_rules=toolboxes.save,
            clock=clock,
            ids=ids,
            wishes=lambda: wishes_of(preferences),
        )
        chats = Chats(means, tasks)
        await chats.recover()
        await edits.recover()
        yield Working(
            storage=storage,
            preferences=preferences,
            asking=asking,
            projects=projects,
            feed=feed,
            workspaces=workspaces,
            documents=documents,
            tools=toolboxes,
            chats=chats,
            groups=Groups(storage, ids),
            reviews=Reviews(edits, chats.take_back, commits),
            commits=commits,
            authorships=Authorships(edits),
            versions=Versions(edits),
            suggestions=Suggestions(
                asking.questions,
                storage,
                clock=clock,
                ids=ids,
                chosen=lambda: preferences.editor.suggest_model,
                instructions=trusted_instructions(workspaces.get, Trust(home)),
            ),
            calibration=CalibrationReports(storage),
            notes=notes,
            threads=Threads(means, chats, notes),
            proposals=Proposals(means),
            skills=skills,
            contexts=contexts,
            tokens=Tokens(contexts, counts, skills, asking.counter, workspaces.get),
        )
        tasks.cancel_scope.cancel()


def wishes_of(preferences: Preferences) -> Wishes:
    """What the user wants of turns now."""
    chats = preferences.chats
    return Wishes(
        limits=Limits(steps=chats.steps, wall_s=chats.minutes * 60),
        summarises=chats.summarise == "automatic",
        asks_after_reading=chats.ask_after_reading,
        transforms=own_transforms(preferences),
    )


def git_note(project_id: str, words: str) -> FilesChanged:
    """Tells the pages of a project about a commit."""
    return FilesChanged(project_id, frozenset(), overflow=False, git=True, note=words)


def own_transforms(preferences: Preferences) -> tuple[Transform, ...]:
    """The user's own quick transforms, named by their place in the list."""
    own = enumerate(preferences.editor.transforms, 1)
    return tuple(Transform(f"own-{number}", one.title, one.prompt) for number, one in own)
