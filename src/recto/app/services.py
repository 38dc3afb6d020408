"""All that works behind the server and the commands: store, models, folders, tools, chats."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from recto.access import LocalModels, ModelDownloads, TotalsCheck
from recto.agent import TurnLimits
from recto.app.chat_dialect import ChatDialect
from recto.app.mcp import open_mcp_servers
from recto.app.model_services import open_model_services
from recto.app.research import open_research
from recto.app.store import open_store
from recto.assist import CalibrationReports, CitationReader, Suggestions
from recto.chats import (
    Archive,
    BringingBack,
    ChatJournals,
    Chats,
    ChatServices,
    FolderInstructions,
    Groups,
    Keeping,
    OutsideCalls,
    Proposals,
    SentBytes,
    Threads,
    TurnPreferences,
    keeping_rules,
)
from recto.chats.prompts.folder_instructions import trusts_own_words
from recto.chats.prompts.known_documents import StoredDocuments
from recto.chats.prompts.trusted_instructions import trusted_instructions
from recto.chats.prompts.turn_input import input_of
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Preferences, Settings, Trust
from recto.context import Transform
from recto.doctor import Check, background, database, examine, ledger
from recto.documents import OwnWords
from recto.margin import Notes
from recto.notebooks import KernelRules, LiveNotebooks, Notebooks, notebook_form
from recto.projects import (
    CommittedTexts,
    Contexts,
    Feed,
    FileCounts,
    FileDependents,
    FileOperations,
    NoteLinks,
    ProjectLibrary,
    Projects,
    Publications,
    Replacements,
    ReturnedDrafts,
    SelectionCounter,
    TrackedChanges,
    Trash,
    WordPages,
    Workspaces,
    kernel_rights,
)
from recto.projects.live_documents import LiveDocuments
from recto.projects.note_tracker import NoteTracker
from recto.publishing import SentDrafts
from recto.reviews import Authorships, CitationChecks, Commits, Edits, OwnSaves, Reviews, Versions
from recto.server import McpEndpoint, Services
from recto.skills import Skills
from recto.storage import Storage
from recto.supervisor import Supervisor
from recto.tools import KernelSandbox, Toolboxes
from recto.workspace import TrashFolder


@dataclass(frozen=True, slots=True)
class AppServices(Services):
    """The services of one Recto home, with what only the program itself uses."""

    storage: Storage
    supervisor: Supervisor
    commits: Commits


Supervise = Callable[[TaskGroup, Callable[[], float]], Supervisor]
"""Makes the supervisor of a task group, by a clock."""


@asynccontextmanager
async def open_services(
    home: Home,
    settings: Settings,
    folder: Path,
    clock: SystemClock,
    ids: SystemIds,
    *,
    has_reviewer: bool = True,
    supervise: Supervise = Supervisor,
) -> AsyncGenerator[AppServices]:
    """Everything, for the length of the block. Turns that a crash cut off are brought to an end.

    Where nobody can review, edits of AI hold at once.
    """
    async with (
        open_store(home, settings, clock) as storage,
        open_model_services(home, settings, storage, clock, ids) as asking,
        open_research(
            settings,
            keys=asking.models.key,
            gateway=asking.lines.gateway,
            reader=CitationReader(asking.questions, asking.models),
        ) as research,
        anyio.create_task_group() as tasks,
    ):
        supervisor = supervise(tasks, clock.monotonic)
        preferences = Preferences(home, settings)
        projects = Projects(storage, ids=ids, start_folder=folder, records=home.folder)
        feed = Feed(storage)
        supervisor.keep("feed", feed.run)
        workspaces = Workspaces(projects, feed, supervisor, records=home.folder)
        supervisor.keep("projects", workspaces.run)
        trust = Trust(home)
        documents = LiveDocuments(
            workspaces,
            feed,
            storage,
            own_words=partial(
                own_words_of, (saves := OwnSaves(storage, ids, clock, workspaces.get)), trust
            ),
            find_form=notebook_form,
            clock=clock,
            supervisor=supervisor,
        )
        edits = Edits(
            storage,
            ids,
            open_documents=documents.get,
            open_workspace=workspaces.get,
            asks=lambda: preferences.chats.review == "ask",
            has_reviewer=has_reviewer,
            written=feed.tell_written,
            citations=(
                citations := CitationChecks(
                    storage,
                    ids,
                    research.libraries,
                    research.records,
                    open_workspace=workspaces.get,
                    reaches_out=Toolboxes(home).reaches_out,
                )
            ),
        )
        notes = Notes(storage, ids, clock, open_documents=documents.get)
        supervisor.keep("notes", NoteTracker(feed, notes).run)
        commits = Commits(
            edits,
            is_wanted=lambda: preferences.chats.commit_accepted,
            request_of=lambda run: input_of(run.body).text,
            tell=feed.tell_of_git,
        )
        notebooks = LiveNotebooks(
            Notebooks(
                supervisor,
                ids,
                kept=home.folder / "notebooks" / "kernels",
                idle_s=settings.notebooks.idle_minutes * 60 or None,
                tcp=settings.notebooks.tcp_kernels,
                rules=KernelRules(
                    partial(kernel_rights, storage), KernelSandbox([str(home.folder)])
                ),
            ),
            supervisor,
            clock,
            open_documents=documents.get,
            open_workspace=workspaces.get,
            records=home.folder / "notebooks",
        )
        await follow_disk(supervisor, documents, notebooks)
        toolboxes = Toolboxes(home, research, notebooks.notebooks)
        mcp = await open_mcp_servers(home, supervisor, feed, clock, ids)
        skills = Skills(storage, ids, trust, workspaces.get, asking.counter)
        counts = FileCounts(storage, clock, supervisor)
        instructions = FolderInstructions(trust, workspaces.get)
        contexts = Contexts(
            storage,
            counts,
            ids=ids,
            clock=clock,
            open_workspace=workspaces.get,
            count_as=asking.counter.calibration.apply,
        )
        services = ChatServices(
            storage=storage,
            archive=Archive(storage, ids),
            journals=ChatJournals(storage),
            sent=SentBytes(storage),
            models=asking.models,
            budget=asking.budget,
            questions=asking.questions,
            counter=asking.counter,
            open_workspace=workspaces.get,
            open_toolbox=toolboxes.open,
            open_documents=documents.get,
            edits=edits,
            commits=commits if has_reviewer else None,
            notes=notes,
            notebooks=notebooks.notebooks,
            mcp=mcp,
            skills=skills,
            trust=trust,
            save_rules=toolboxes.save,
            clock=clock,
            ids=ids,
            preferences=lambda: turn_preferences_of(preferences),
        )
        local_models = LocalModels(
            home, asking.models, asking.lines.fetch_file, file_list=settings.models.file_list
        )
        chats = Chats(services, supervisor)
        await chats.recover()
        await edits.recover()
        tidy(
            supervisor,
            chats,
            Keeping(storage, clock, settings.storage.request_days, settings.storage.save_days),
            TotalsCheck(storage, clock=clock, zone=asking.zone),
        )
        threads = Threads(services, chats, notes)
        endpoint = McpEndpoint(OutsideCalls(services, chats, threads, notes), version("recto"))
        supervisor.keep("MCP endpoint", endpoint.run)
        try:
            yield AppServices(
                storage=storage,
                supervisor=supervisor,
                preferences=preferences,
                keeping=keeping_rules(settings.storage.request_days, settings.storage.save_days),
                version=version("recto"),
                models=asking.models,
                budget=asking.budget,
                reports=asking.reports,
                questions=asking.questions,
                list_models=asking.lines.list_models,
                try_key=asking.lines.try_key,
                look_at=asking.lines.look_at,
                gateway=asking.lines.gateway,
                server_addresses=settings.models.servers,
                dialect=ChatDialect(clock.now_ms),
                ids=ids,
                clock=clock,
                zone=asking.zone,
                examine=partial(examine_all, home, storage, supervisor),
                background=supervisor.health,
                projects=projects,
                feed=feed,
                workspaces=workspaces,
                documents=documents.get,
                tracked_changes=TrackedChanges(
                    workspaces.get, (known := partial(StoredDocuments, storage))
                ),
                word_pages=WordPages(workspaces.get, known, clock, supervisor),
                links=(links := NoteLinks(workspaces.get, documents.get)),
                files=(
                    files := FileOperations(
                        workspaces.get,
                        documents.get,
                        FileDependents(storage, notes, edits, contexts, notebooks),
                        Trash(
                            TrashFolder(home.trash_folder),
                            clock=clock,
                            ids=ids,
                            on_erased=saves.forget,
                        ),
                        feed,
                        links,
                    )
                ),
                committed_texts=CommittedTexts(workspaces.get, documents.get),
                replacements=Replacements(workspaces.get, documents.get, storage, clock),
                tools=toolboxes,
                library=ProjectLibrary(
                    research.libraries,
                    research.records,
                    research.papers,
                    research.zotero,
                    workspaces.get,
                    documents.get,
                    citations,
                    reaches_out=toolboxes.reaches_out,
                ),
                publications=Publications(
                    research.libraries,
                    workspaces.get,
                    documents.get,
                    files,
                    clock,
                    (sent := SentDrafts(home.sent_drafts_folder)),
                ),
                returned_drafts=ReturnedDrafts(
                    sent, research.libraries, workspaces.get, documents.get
                ),
                bringing_back=BringingBack(services, chats, notes),
                mcp=mcp,
                counter=asking.counter,
                mcp_endpoint=endpoint,
                notebooks=notebooks,
                chats=chats,
                groups=Groups(storage, ids),
                reviews=Reviews(edits, chats.take_back, commits),
                commits=commits,
                authorships=Authorships(edits, known),
                versions=Versions(edits, saves),
                suggestions=Suggestions(
                    asking.questions,
                    storage,
                    clock=clock,
                    ids=ids,
                    chosen=lambda: preferences.editor.suggest_model,
                    instructions=trusted_instructions(instructions),
                ),
                calibration=CalibrationReports(storage),
                instructions=instructions,
                notes=notes,
                threads=threads,
                proposals=Proposals(services),
                skills=skills,
                contexts=contexts,
                tokens=SelectionCounter(contexts, counts, skills, asking.counter, workspaces.get),
                local_models=local_models,
                fetches=ModelDownloads(local_models, supervisor, lambda: feed.announce("models")),
            )
        finally:
            storage.stop_waiting()
            with anyio.CancelScope(shield=True):
                await mcp.close()
        tasks.cancel_scope.cancel()


async def follow_disk(
    supervisor: Supervisor, documents: LiveDocuments, notebooks: LiveNotebooks
) -> None:
    """Keep what is open in step with the disk and other processes; bring back what a crash left."""
    supervisor.keep("documents", documents.run)
    supervisor.keep("documents of others", documents.follow_others)
    await notebooks.recover()


def own_words_of(saves: OwnSaves, trust: Trust, project_id: str, root: str) -> OwnWords:
    """What is to know of a person's own words before they are saved."""
    witnesses = (trusts_own_words(trust, root), saves.witness(project_id))

    async def tell(path: str, before: str, after: str) -> None:
        for witness in witnesses:
            await witness(path, before, after)

    return tell


def tidy(supervisor: Supervisor, chats: Chats, keeping: Keeping, totals: TotalsCheck) -> None:
    """Have what others leave behind brought to an end, and what is no longer kept taken away."""
    supervisor.keep("turns of others", chats.keep_recovering)
    supervisor.keep("keeping", keeping.run)
    supervisor.keep("totals", totals.run)


async def examine_all(home: Home, storage: Storage, supervisor: Supervisor) -> Sequence[Check]:
    """What Recto needs of this computer, and how the running program is."""
    return [
        *await examine(home),
        database(is_answering=storage.is_answering),
        # A read would wait for a database that does not answer.
        *([ledger(await storage.ledger.wrong_totals())] if storage.is_answering else []),
        background(supervisor.health()),
    ]


def turn_preferences_of(preferences: Preferences) -> TurnPreferences:
    """What the user wants of turns now."""
    chats = preferences.chats
    return TurnPreferences(
        limits=TurnLimits(steps=chats.steps, wall_s=chats.minutes * 60),
        summarises=chats.summarise == "automatic",
        asks_after_reading=chats.ask_after_reading,
        summarises_results=chats.summarise_results,
        transforms=own_transforms(preferences),
    )


def own_transforms(preferences: Preferences) -> tuple[Transform, ...]:
    """The user's own quick transforms, named by their place in the list."""
    own = enumerate(preferences.editor.transforms, 1)
    return tuple(Transform(f"own-{number}", item.title, item.prompt) for number, item in own)
