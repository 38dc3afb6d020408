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
from recto.projects import Feed, Projects, Workspaces
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


@asynccontextmanager
async def open_working(
    home: Home, settings: Settings, folder: Path, clock: SystemClock, ids: SystemIds
) -> AsyncGenerator[Working]:
    """Everything, for the length of the block. Turns that a crash cut off are brought to an end."""
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
            trust=Trust(home),
            save_rules=toolboxes.save,
            clock=clock,
            ids=ids,
            limits=Limits(steps=settings.chats.steps, wall_s=settings.chats.minutes * 60),
            summarises=settings.chats.summarise == "automatic",
            asks_after_reading=settings.chats.ask_after_reading,
        )
        chats = Chats(means, tasks)
        await chats.recover()
        yield Working(storage, asking, projects, feed, workspaces, documents, toolboxes, chats)
        tasks.cancel_scope.cancel()
