"""The links of a folder's texts: who links to one, what leads nowhere, what a move changes."""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio

from recto.documents import Documents, EditOrigin, LiveDocument, ReadOnly, Splice
from recto.projects.links.folder_names import FolderNames, beside, has_links, key_of
from recto.projects.links.markdown_links import TextFacts, read_facts
from recto.projects.links.moves import LinkChange, Move, link_changes, mentions, name_of, needles
from recto.projects.links.notebook_texts import passages_of, text_of
from recto.projects.links.spelling import meant
from recto.workspace import (
    FileIdentity,
    NameIndex,
    SearchLimits,
    TextFile,
    Workspace,
    WorkspaceFailure,
)

BY_A_PERSON = EditOrigin("person", way="typed")
NOTES = "*.{md,MD,markdown,mkd,qmd,Qmd,rmd,Rmd,ipynb}"
LIMITS = SearchLimits(max_matches=100_000, max_line=8, max_bytes=200_000_000, deadline_s=20)
MOST_KEPT = 20_000
MOST_BACKLINKS = 500
ONE_BYTE = {"cp1252", "latin-1"}
NOT_KNOWN = "Its encoding is not known for sure."
NO_SPELLING = "A link in it can’t name the new place."
TWO_VERSIONS = "It has two versions that nobody has chosen between."


@dataclass(frozen=True, slots=True)
class ChangedLink:
    """A link in a line, before and after."""

    line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ChangedText:
    """The links of one text that follow a move; the path is the one before it."""

    path: str
    links: tuple[ChangedLink, ...]


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A text whose links can't follow, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """What a move changes in links; `truncated` when there may be more."""

    texts: tuple[ChangedText, ...]
    left_alone: tuple[LeftAlone, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link to a text, in another."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A link that leads nowhere, and where it stands first."""

    name: str
    line: int
    is_note: bool


@dataclass(frozen=True, slots=True)
class LinksAround:
    """What links to a text, what it links to in vain, and its tags."""

    backlinks: tuple[Backlink, ...]
    unresolved: tuple[Unresolved, ...]
    tags: tuple[str, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class TaggedNote:
    """A text with a tag: where it stands first, and how often."""

    path: str
    line: int
    text: str
    count: int


Spellings = Mapping[str, Mapping[str, str]]
"""For a text, by its path after a move: which words of a link to put back for which."""


class NoteLinks:
    """Reads and changes links; a text is parsed again only when its file has changed."""

    def __init__(
        self,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        open_documents: Callable[[str], Awaitable[Documents]],
    ) -> None:
        self._open_workspace = open_workspace
        self._open_documents = open_documents
        self._known: defaultdict[str, dict[str, tuple[FileIdentity, TextFacts]]] = defaultdict(dict)
        self._names: dict[str, tuple[NameIndex, FolderNames]] = {}

    async def find_note(self, project_id: str, name: str, origin: str) -> str | None:
        """The file that a wiki link in a text names."""
        names = await self._folder_names(await self._open_workspace(project_id))
        return names.named(name, origin) if name.strip() else origin

    async def around(self, project_id: str, path: str) -> LinksAround:
        """What links to a file, and where its own links lead in vain, as the disk has it."""
        workspace = await self._open_workspace(project_id)
        names = await self._folder_names(workspace)
        expression = "|".join(needles([name_of(path)]))
        found, truncated = await self._holding(workspace, expression)
        own = [path] if has_links(path) else []
        facts = await self._facts(workspace, [*dict.fromkeys([*own, *found])])
        around = await anyio.to_thread.run_sync(links_around, path, facts, names, truncated)
        # What git ignores is not among the names, but may well be there.
        places = {link.name: beside(path, link.name) or "" for link in around.unresolved}
        there = await workspace.identify([place for place in places.values() if place])
        unresolved = tuple(
            link
            for link in around.unresolved
            if link.is_note or not isinstance(there.get(places[link.name]), FileIdentity)
        )
        return replace(around, unresolved=unresolved)

    async def tags(self, project_id: str) -> tuple[Sequence[tuple[str, int]], bool]:
        """The tags of a folder's notes, how often each stands there, whether some are missing."""
        workspace = await self._open_workspace(project_id)
        facts, truncated = await self._tagged(workspace)
        counted: Counter[str] = Counter()
        for known in facts.values():
            counted.update(tag.name for tag in known.tags)
        return sorted(counted.items(), key=lambda item: (-item[1], item[0].casefold())), truncated

    async def tagged(self, project_id: str, tag: str) -> tuple[Sequence[TaggedNote], bool]:
        """The notes with a tag, or one below it, by their paths; whether some are missing."""
        facts, truncated = await self._tagged(await self._open_workspace(project_id))
        wanted = key_of(tag)
        found: list[TaggedNote] = []
        for path, known in sorted(facts.items()):
            here = [item for item in known.tags if is_below(key_of(item.name), wanted)]
            if here:
                line = here[0].line
                found.append(TaggedNote(path, line, known.lines.get(line, ""), len(here)))
        return found, truncated

    async def _tagged(self, workspace: Workspace) -> tuple[Mapping[str, TextFacts], bool]:
        """What is known of the texts that may have tags."""
        found, truncated = await self._holding(workspace, r"(^|[\s(,;'\x22])#[\w/-]|^tags\s*:")
        return await self._facts(workspace, found), truncated

    async def plan(
        self, project_id: str, path: str, new_path: str, spellings: Spellings | None = None
    ) -> tuple[LinkPlan, Move]:
        """What moving a file or folder changes in links. Raises PathNotFound, SearchUnavailable."""
        workspace = await self._open_workspace(project_id)
        await (await self._open_documents(project_id)).settle()
        before = await self._folder_names(workspace)
        if not before.has(path):  # one that git ignores
            before = await anyio.to_thread.run_sync(FolderNames, [*before.paths, path])
        after = await anyio.to_thread.run_sync(before.moved, path, new_path)
        move = Move(path, new_path, before, after)
        found, truncated = await self._holding(workspace, mentions(move))
        moved = [one for one in before.paths if has_links(one) and move.place(one) != one]
        wanted = [*dict.fromkeys([*found, *moved])]
        texts = await workspace.read_texts(wanted)
        plan = await anyio.to_thread.run_sync(partial(planned, texts, move, spellings or {}))
        return LinkPlan(plan.texts, plan.left_alone, truncated), move

    async def follow(
        self, project_id: str, plan: LinkPlan, move: Move, spellings: Spellings | None = None
    ) -> LinkPlan:
        """Change the links of texts after the move; what was changed, and what was not."""
        documents = await self._open_documents(project_id)
        changed: list[ChangedText] = []
        left = list(plan.left_alone)
        for planned_text in plan.texts:
            place = move.place(planned_text.path)
            wanted = (spellings or {}).get(place)
            try:
                async with documents.using(place) as live:
                    done = await follow_in(live, planned_text.path, move, wanted)
            except WorkspaceFailure as failure:
                left.append(LeftAlone(planned_text.path, str(failure)))
                continue
            if isinstance(done, str):
                left.append(LeftAlone(planned_text.path, done))
            elif done:
                changed.append(ChangedText(planned_text.path, done))
        return LinkPlan(tuple(changed), tuple(left), plan.truncated)

    async def _folder_names(self, workspace: Workspace) -> FolderNames:
        index = await workspace.file_names()
        known = self._names.get(workspace.root)
        if known is None or known[0] is not index:
            names = await anyio.to_thread.run_sync(FolderNames, index.paths)
            known = self._names[workspace.root] = (index, names)
        return known[1]

    async def _holding(self, workspace: Workspace, expression: str) -> tuple[Sequence[str], bool]:
        """The notes with a line that fits, and whether there may be more."""
        result = await workspace.search(expression, regex=True, glob=NOTES, limits=LIMITS)
        return [*dict.fromkeys(match.path for match in result.matches)], result.truncated

    async def _facts(self, workspace: Workspace, paths: Sequence[str]) -> Mapping[str, TextFacts]:
        known = self._known[workspace.root]
        identities = {
            path: found
            for path, found in (await workspace.identify(paths)).items()
            if isinstance(found, FileIdentity)
        }
        changed = [
            path for path, identity in identities.items() if known.get(path, (None,))[0] != identity
        ]
        texts = await workspace.read_texts(changed)
        if len(known) > MOST_KEPT:
            known.clear()
        found = await anyio.to_thread.run_sync(facts_of, texts)
        for path, facts in found.items():
            known[path] = (identities[path], facts)
        return {path: known[path][1] for path in identities if path in known}


def facts_of(texts: Mapping[str, TextFile | WorkspaceFailure]) -> dict[str, TextFacts]:
    """The facts of each text that could be read."""
    found: dict[str, TextFacts] = {}
    for path, file in texts.items():
        text = text_of(path, file.text) if isinstance(file, TextFile) else None
        if text is not None:
            found[path] = read_facts(text, passages_of(path, text))
    return found


def is_below(tag: str, wanted: str) -> bool:
    """Whether a tag is another one, or one below it: `work/now` is below `work`."""
    return tag == wanted or tag.startswith(f"{wanted}/")


def links_around(
    path: str, facts: Mapping[str, TextFacts], names: FolderNames, truncated: bool
) -> LinksAround:
    """What the links of some texts say of one of them."""
    backlinks = [
        Backlink(other, link.line, known.lines.get(link.line, ""))
        for other, known in sorted(facts.items())
        if other != path
        for link in known.links
        if meant(link, other, names) == path
    ]
    own = facts.get(path)
    unresolved: dict[str, Unresolved] = {}
    for link in () if own is None else own.links:
        if meant(link, path, names) is None:
            is_wiki = link.kind == "wiki"
            unresolved.setdefault(link.target, Unresolved(link.target, link.line, is_wiki))
    one_a_line = {(link.path, link.line): link for link in backlinks}
    cut = truncated or len(one_a_line) > MOST_BACKLINKS
    kept = tuple(one_a_line.values())[:MOST_BACKLINKS]
    tags = () if own is None else tuple(dict.fromkeys(tag.name for tag in own.tags))
    return LinksAround(kept, tuple(unresolved.values()), tags, cut)


def planned(
    texts: Mapping[str, TextFile | WorkspaceFailure], move: Move, spellings: Spellings
) -> LinkPlan:
    """What a move changes in these texts."""
    changed: list[ChangedText] = []
    left: list[LeftAlone] = []
    for path, file in sorted(texts.items()):
        if not isinstance(file, TextFile):
            left.append(LeftAlone(path, str(file)))
            continue
        text = text_of(path, file.text)
        if text is None:
            continue  # no notebook, or one that nobody can read: it has no links
        changes = link_changes(text, path, move, spellings.get(move.place(path)))
        if changes and file.encoding in ONE_BYTE:
            left.append(LeftAlone(path, NOT_KNOWN))
            continue
        if any(change.after is None for change in changes):
            left.append(LeftAlone(path, NO_SPELLING))
        links = described(changes)
        if links:
            changed.append(ChangedText(path, links))
    return LinkPlan(tuple(changed), tuple(left))


def described(changes: Sequence[LinkChange]) -> tuple[ChangedLink, ...]:
    """Changes as people read them."""
    return tuple(
        ChangedLink(change.link.line, change.link.raw, change.after)
        for change in changes
        if change.after is not None
    )


async def follow_in(
    live: LiveDocument | ReadOnly, path: str, move: Move, wanted: Mapping[str, str] | None
) -> tuple[ChangedLink, ...] | str:
    """Change the links of a text and save it; what was changed, or why nothing was."""
    if isinstance(live, ReadOnly):
        return live.reason
    if live.state.conflict is not None:
        return TWO_VERSIONS
    if live.shape.encoding in ONE_BYTE:
        return NOT_KNOWN
    # No await between reading the text and changing it: no keystroke comes between.
    changes = link_changes(live.text, path, move, wanted)
    splices = [
        Splice(change.link.start, change.link.end, change.after)
        for change in changes
        if change.after is not None
    ]
    if not splices:
        return ()
    await live.edit(splices, BY_A_PERSON, undoable=True)
    state = await live.save()
    return described(changes) if state.problem is None else state.problem
