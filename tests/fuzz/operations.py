"""How what is generated for an operation gets real, and stays where it does no harm."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from copy import deepcopy
from typing import Any, Literal, cast

from anyio import from_thread
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from tests.fuzz.described import DESCRIBED, Case, requests_for
from tests.fuzz.place import Place
from tests.talk import MODEL

Draw = Callable[[Any], Any]
Kind = Literal["positive", "negative"]

# What bodies call the things that paths call by their own names.
KINDS: Mapping[str, str] = {
    "contextIds": "context_id",
    "defaultContextIds": "context_id",
    "skillIds": "skill_id",
    "defaultSkillIds": "skill_id",
    "groupId": "group_id",
    "parentId": "group_id",
    "chatId": "chat_id",
    "projectId": "project_id",
    "entryId": "entry_id",
    "turnId": "turn_id",
    "threadIds": "thread_id",
    "ids": "group_id",
}
PATHS = frozenset({"path", "files", "additionalFiles"})
FILES = ["tides.md", "made.md", "data.bin", ""]
BUILTIN_SKILLS = ("builtin.code-review", "builtin.concise")
# The first that is drawn is the first of these.
MOSTLY = st.sampled_from([True, True, True, False])
MODES: st.SearchStrategy[Kind] = st.sampled_from(["positive", "negative"])


def draw_cases(
    label: str, places: Sequence[Place], data: DataObject
) -> Iterator[tuple[Place, Case]]:
    """A request for an operation: as described or not, and often about something that is there.

    Called in a thread beside the servers: what ends a drawing would end their loop as well.
    """
    kind = data.draw(MODES)
    drawn = data.draw(requests_for(label, kind))
    for place in places:
        case = DESCRIBED[label].Case(
            method=drawn.method,
            path_parameters=dict(drawn.path_parameters or {}),
            headers=dict(drawn.headers or {}),
            query=dict(drawn.query or {}),
            body=own_copy(drawn.body),
            media_type=drawn.media_type,
        )
        name_what_is_there(case, place, data)
        if kind == "positive":
            case.body = made_real(case.body, "", place, data.draw)
        keep_it_here(label, case, place)
        reach_nobody(label, case)
        yield place, case


def own_copy(body: Any) -> Any:
    """A body to be changed. What stands for none must stay what it is."""
    return deepcopy(cast("Any", body)) if isinstance(body, dict | list) else body


def name_what_is_there(case: Case, place: Place, data: DataObject) -> None:
    """Have the path name things that exist, mostly; and the header their versions."""
    for name in case.path_parameters:
        if data.draw(MOSTLY) and (known := pool(place, name)):
            case.path_parameters[name] = data.draw(st.sampled_from(known))
    if "entry_id" in case.path_parameters and data.draw(MOSTLY):
        case.path_parameters["chat_id"] = place.chat_id
    if "path" in case.query and data.draw(MOSTLY):
        case.query["path"] = data.draw(st.sampled_from(FILES))
    if "chatId" in case.query and data.draw(MOSTLY):
        case.query["chatId"] = place.chat_id
    if case.method == "PUT" and data.draw(MOSTLY):
        tag = from_thread.run(place.tag, case.formatted_path)
        if tag is not None:
            case.headers["if-match"] = tag


def pool(place: Place, name: str) -> Sequence[str]:
    """The newest things of a kind."""
    known = place.ids.get(name, [])[:-4:-1]
    return [*known, *BUILTIN_SKILLS] if name == "skill_id" else known


def made_real(value: Any, key: str, place: Place, draw: Draw) -> Any:
    """A body that names things that are there, in most of the places where it names any."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name: made_real(field, name, place, draw) for name, field in fields.items()}
    if isinstance(value, list):
        return [made_real(item, key, place, draw) for item in cast("list[Any]", value)]
    if isinstance(value, str):
        known = FILES if key in PATHS else pool(place, KINDS.get(key, ""))
        if known and draw(MOSTLY):
            return draw(st.sampled_from(known))
    return value


def keep_it_here(label: str, case: Case, place: Place) -> None:
    """Touch nothing but the place: no other folder, no real model, no key that is needed."""
    bodies = list(objects(case.body))
    for body in bodies:
        if str(body.get("model", "")).startswith("builtin"):
            body["model"] = MODEL
    if label == "POST /api/v1/projects":
        for body in bodies:
            body["path"] = f"{place.folder}/{str(body.get('path')).replace('..', '')}"
    if label == "PUT /api/v1/models/default":
        case.body = {"id": MODEL}
    if label == "DELETE /api/v1/projects/{project_id}":
        case.path_parameters["project_id"] = place.ids["spare_id"][-1]
    if "/keys/" in label and str(case.path_parameters["name"]).startswith("ANTHROPIC"):
        case.path_parameters["name"] = "NO_SUCH_KEY"


def reach_nobody(label: str, case: Case) -> None:
    """Ask no other computer, and leave the file that everything else is about."""
    for body in objects(case.body):
        if "/servers" in label:  # nobody listens there, and it is this computer
            body["url"] = "http://127.0.0.1:9"
        if label == "POST /api/v1/projects/{project_id}/mcp":  # nor is any program started
            body.update(url="http://127.0.0.1:9", command="")
        if ("/files" in label or "/trash" in label) and body.get("path") in ("tides.md", ""):
            body["path"] = "made.md"
    if "/local-models" in label and "list_id" in case.path_parameters:
        case.path_parameters["list_id"] = "no-such-model"


def objects(value: Any) -> Iterator[MutableMapping[str, Any]]:
    """Every object in a body."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        yield fields
        for one in fields.values():
            yield from objects(one)
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from objects(one)
