"""The JSON of chat groups: the folders that chats lie in."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, JsonValue, StringConstraints, model_validator

from recto.server.rows import DescribedAs
from recto.server.schemas.base import Body, ResourceId, Schema, SkillId
from recto.server.schemas.chats.chats import AN_ID, ContextIds, Outcome, SkillIds, Time, Version

MOST_GROUPS = 1000
"""In one project."""
Color = Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")]
GroupName = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$"
    ),
]
Position = Annotated[int, Field(ge=0, le=1_000_000_000)]
A_GROUP: dict[str, JsonValue] = {
    "name": "Field work",
    "color": "#06b6d4",
    "parentId": AN_ID,
    "defaultContextIds": [AN_ID],
    "defaultSkillIds": ["builtin.concise"],
}


class ChatGroup(Schema):
    """A folder of chats, and of other folders."""

    id: ResourceId
    project_id: ResourceId
    name: str
    color: str
    parent_id: ResourceId | None
    """The folder it lies in."""
    position: int
    """Where it stands among the folders of the project."""
    default_context_ids: list[ResourceId]
    """What a chat that is begun in it has pinned."""
    default_skill_ids: list[SkillId]
    created_at: int
    version: int


class ChatGroupPage(Schema):
    """The folders of a project, in their order."""

    items: list[ChatGroup]
    next_cursor: str | None = None


class NewChatGroup(Body):
    """A folder to make; it comes last."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Field work"}, A_GROUP]})

    id: ResourceId | None = None
    """Its id, if the caller has made one; null is a new one."""
    name: GroupName
    color: Color | None = None
    """Null is the one that belongs to the name."""
    parent_id: ResourceId | None = None
    default_context_ids: ContextIds = []
    default_skill_ids: SkillIds = []


class ChatGroupUpdate(Body):
    """A folder as it is to be."""

    resource = ChatGroup

    model_config = ConfigDict(json_schema_extra={"examples": [A_GROUP]})

    name: GroupName
    color: Color
    parent_id: ResourceId | None
    default_context_ids: ContextIds
    default_skill_ids: SkillIds


class GroupOrder(Body):
    """Folders in a new order; those that are not named keep their places."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": [AN_ID]}]})

    ids: Annotated[
        list[ResourceId],
        Field(max_length=MOST_GROUPS, json_schema_extra={"uniqueItems": True}),
    ]

    @model_validator(mode="after")
    def names_each_once(self) -> Self:
        """Nothing stands at two places."""
        if len(set(self.ids)) < len(self.ids):
            raise ValueError("a folder is named twice")
        return self


class SyncedGroup(Body):
    """A folder as a client has it, whole: what is left out is empty. A listed one is taken, too."""

    resource = ChatGroup

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{**A_GROUP, "id": AN_ID, "position": 0, "createdAt": 0, "_version": 3}]
        }
    )

    id: ResourceId
    name: GroupName
    color: Color | None = None
    parent_id: ResourceId | None = None
    position: Position | None = None
    """Null is where it stands; a new one comes last."""
    default_context_ids: ContextIds = []
    default_skill_ids: SkillIds = []
    created_at: Time
    version: Version | None = Field(default=None, alias="_version")
    """Raised with every change. Without one, a folder that the server knows is kept."""


class GroupsToSync(Body):
    """Folders as a client has them, each once."""

    groups: Annotated[
        list[Annotated[JsonValue, DescribedAs(SyncedGroup)]], Field(max_length=MOST_GROUPS)
    ]


class SyncedGroupResult(Schema):
    """What became of a row."""

    id: str | None
    """As the row says it; null when it says none."""
    outcome: Outcome
    """taken: the server has it now; kept: the server's own is as new or newer."""
    reason: str | None = None
    """Why it was refused."""
    row: ChatGroup | None = None
    """The folder as it is now; null when there is none that the caller may see."""


class SyncedGroups(Schema):
    """What became of each row, in the order of the request."""

    results: list[SyncedGroupResult]
