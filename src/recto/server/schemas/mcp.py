"""The JSON of MCP servers: what they are, how they are, and what they offer."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.mcp import ORIGIN
from recto.server.schemas.base import Body, Schema, Text

McpServerId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
McpToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Word = Annotated[Text, StringConstraints(max_length=4000)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
AppOrigin = Annotated[str, StringConstraints(pattern=rf"^{ORIGIN.pattern}$", max_length=300)]
Address = Annotated[Text, StringConstraints(min_length=1, max_length=4000)]


class McpTool(Schema):
    """A tool of a server."""

    name: str
    """The name that models and rules know it by: server__tool."""
    own_name: str
    """The name that its server knows it by."""
    title: str
    description: str
    tokens: int
    """What its definition takes in each request."""
    permission: Literal["allow", "ask", "deny"]
    """Deny is off: models are not told of it."""
    says_read_only: bool
    """What the server says of it, which is shown and not believed."""
    says_destructive: bool
    digest: str
    """Stands for what it is now; to be sent back when the change was seen."""
    difference: str | None
    """How it differs from what was seen last; while there is one, the tool is off."""
    unusable: str | None
    """Why it can't be offered to any model."""


class McpApproval(Schema):
    """What would be started, for a person to decide about."""

    digest: str
    lines: list[str]
    """Every letter of it; what can't be seen is written out."""
    previous_lines: list[str] | None
    """What was approved before, if it is something else now."""
    previous_at: int | None
    is_declined: bool


class McpServer(Schema):
    """A server, as the settings show it."""

    id: str
    name: str
    title: str
    """What it calls itself, once it has been asked."""
    icon: str
    """Its picture, as a data address; empty when it has none."""
    source: str
    """The file that names it."""
    is_own: bool
    """Whether it is named in the home, and can be removed here."""
    transport: Literal["stdio", "http"]
    lines: list[str]
    """The command with its values, or the address with its headers."""
    warnings: list[str]
    state: Literal[
        "invalid", "unapproved", "off", "starting", "ready", "pausing", "failed", "needs_sign_in"
    ]
    words: str
    """Why it is so."""
    revision: str
    """The protocol's revision that was agreed on."""
    is_on: bool
    in_documents: bool
    """Whether the document agent gets its tools, too."""
    app_origins: list[str]
    """What its apps may reach."""
    trusts_words: bool
    """Whether changed descriptions of its tools need not be seen."""
    is_signed_in: bool
    approval: McpApproval | None
    """What to decide about before it starts; null when there is nothing to decide."""
    tools: list[McpTool]
    tokens: int
    """What all its tools that are on take in each request."""


class McpFile(Schema):
    """A file that names servers, or could."""

    path: str
    exists: bool
    is_read: bool
    problem: str | None


class McpServerList(Schema):
    """The servers that count in a project."""

    items: list[McpServer]
    files: list[McpFile]
    own_tokens: int
    """What Recto's own tools take in each request."""


class NewMcpServer(Body):
    """A server for the home's file."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,39}$")]
    command: Word = ""
    args: Annotated[list[Word], Field(max_length=200)] = Field(default_factory=list[str])
    env: Annotated[dict[Word, Word], Field(max_length=100)] = Field(default_factory=dict[str, str])
    cwd: Word | None = None
    url: Word | None = None
    headers: Annotated[dict[Word, Word], Field(max_length=100)] = Field(
        default_factory=dict[str, str]
    )


class McpServerUpdate(Body):
    """How a server is used; what is left out stays."""

    resource = McpServer

    is_on: bool | None = None
    in_documents: bool | None = None
    trusts_words: bool | None = None
    app_origins: Annotated[list[AppOrigin], Field(max_length=100)] | None = None


class McpDecision(Body):
    """Whether what was shown may be started."""

    digest: Digest
    approved: bool


class McpToolUpdate(Body):
    """How a tool may be used."""

    resource = McpTool

    permission: Literal["allow", "ask", "deny"]


class McpToolSeen(Body):
    """A person has seen what a tool is now."""

    digest: Digest


class McpFileUse(Body):
    """Whether a file of another program is read."""

    path: Literal[".mcp.json", ".vscode/mcp.json"]
    is_read: bool


class McpLog(Schema):
    """What a server wrote to its error output, and what happened to it."""

    lines: list[str]


class ElicitationReply(Body):
    """What a person says to a server that asks."""

    action: Literal["accept", "decline", "cancel"]
    content: Annotated[
        dict[Word, str | int | float | bool | list[str] | None] | None, Field(max_length=200)
    ] = None
    """What was filled in; only with accept, and not for an address."""


class McpResource(Schema):
    """Something that can be read of a server; mentioned in a message as @server:uri."""

    uri: str
    name: str
    title: str
    description: str
    media_type: str | None
    size: int | None


class McpResourceTemplate(Schema):
    """Many resources, by the parts of their addresses."""

    uri_template: str
    name: str
    title: str
    description: str


class McpResourceList(Schema):
    """What can be read of a server."""

    items: list[McpResource]
    templates: list[McpResourceTemplate]


class McpResourceRequest(Body):
    """Which resource to read."""

    uri: Address


class McpResourceText(Schema):
    """A resource, read."""

    uri: str
    text: str
    media_type: str | None
    is_cut: bool


class McpPromptArgument(Schema):
    """What a prompt wants to know."""

    name: str
    description: str
    required: bool


class McpPrompt(Schema):
    """Words that a server has ready: a slash command."""

    name: str
    title: str
    description: str
    arguments: list[McpPromptArgument]


class McpPromptList(Schema):
    """The prompts of a server."""

    items: list[McpPrompt]


class McpMessageOffers(Schema):
    """What a message can take of one server: resources to mention, and prompts."""

    server_id: str
    server: str
    resources: list[McpResource]
    templates: list[McpResourceTemplate]
    prompts: list[McpPrompt]
    problem: str
    """Why it told nothing; empty when it did."""


class McpMessageOffersList(Schema):
    """What a message can take of the servers that run."""

    items: list[McpMessageOffers]


class McpPromptRequest(Body):
    """Which prompt, and with what."""

    name: Address
    arguments: Annotated[dict[Word, Word], Field(max_length=100)] = Field(
        default_factory=dict[str, str]
    )


class McpPromptText(Schema):
    """A prompt as words to send."""

    text: str


class McpCompletionRequest(Body):
    """What is being written, for the server to complete."""

    kind: Literal["prompt", "resource"]
    name: Address
    """The prompt's name, or the resource template."""
    argument: Address
    value: Word = ""
    known: Annotated[dict[Word, Word], Field(max_length=100)] = Field(
        default_factory=dict[str, str]
    )
    """The arguments that are filled in already."""


class McpCompletions(Schema):
    """What an argument could be."""

    values: list[str]
    has_more: bool


class McpSignIn(Schema):
    """Where to sign in: an address for the browser, shown whole before it is opened."""

    url: str
