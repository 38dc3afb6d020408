"""All that works behind the server and the commands: store, models, folders, tools, chats."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from recto.agent import Limits
from recto.app.asking import Asking, open_asking
from recto.app.documents import LiveDocuments
from recto.app.store import open_store
from recto.chats import Approvals, Archive, Chats, Journals, Means
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Settings, Trust
from recto.context import Transform
from recto.projects import Feed, Projects, Workspaces
from recto.reviews import Authorships, Edits, Reviews, Versions
from recto.storage import Storage
from recto.tools import Toolboxes


@dataclass(frozen=True, slots=True)
class Working:
    """The services of one Recto home, ready to use."""

    storage: Storage
    asking: Asking
    projects: Projects
    feed: Feed
    workspaces: Workspaces
    documents: LiveDocuments
    tools: Toolboxes
    chats: Chats
    reviews: Reviews
    authorships: Authorships
    versions: Versions


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
        projects = Projects(storage, ids=ids, start_folder=folder)
        feed = Feed(storage)
        tasks.start_soon(feed.run)
        workspaces = Workspaces(projects, feed, tasks)
        documents = LiveDocuments(workspaces, feed, storage, clock=clock, tasks=tasks)
        tasks.start_soon(documents.run)
        edits = Edits(
            storage,
            ids,
            open_documents=documents.get,
            open_workspace=workspaces.get,
            asks=settings.chats.review == "ask",
            has_reviewer=has_reviewer,
        )
        toolboxes = Toolboxes(home)
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
            trust=Trust(home),
            save_rules=toolboxes.save,
            clock=clock,
            ids=ids,
            limits=Limits(steps=settings.chats.steps, wall_s=settings.chats.minutes * 60),
            summarises=settings.chats.summarise == "automatic",
            asks_after_reading=settings.chats.ask_after_reading,
            transforms=own_transforms(settings),
        )
        chats = Chats(means, tasks)
        await chats.recover()
        await edits.recover()
        yield Working(
            storage=storage,
            asking=asking,
            projects=projects,
            feed=feed,
            workspaces=workspaces,
            documents=documents,
            tools=toolboxes,
            chats=chats,
            reviews=Reviews(edits, chats.take_back),
            authorships=Authorships(edits),
            versions=Versions(edits),
        )
        tasks.cancel_scope.cancel()


def own_transforms(settings: Settings) -> tuple[Transform, ...]:
    """The user's own quick transforms, named by their place in the list."""
    own = enumerate(settings.editor.transforms, 1)
    return tuple(Transform(f"own-{number}", one.title, one.prompt) for number, one in own)
