"""What servers offer besides tools: resources to be read, prompts to be sent, completions."""

import base64
from typing import Any, Literal

import anyio
from mcp_types import (
    BlobResourceContents,
    EmbeddedResource,
    PromptReference,
    ResourceLink,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from recto.mcp.apps import MAX_PAGE, MEDIA_TYPE
from recto.mcp.connection import McpConnection
from recto.mcp.failures import UnusableApp, UnusablePrompt
from recto.mcp.resources import (
    Completions,
    PromptArgument,
    ReadApp,
    ReadResource,
    ResourceTemplate,
    ServerPrompt,
    ServerResource,
    ServerResources,
)
from recto.messages import encodable, invisible

ASK_S = 60.0
APP_S = 20.0
MOST = 1000
MOST_PAGES = 20
MAX_TEXT = 2_000_000
MOST_VALUES = 100


async def list_resources(connection: McpConnection) -> ServerResources:
    """What can be read of a server. Raises what a server can bring about."""
    client = connection.client
    if client.server_capabilities.resources is None:
        return ServerResources()
    found: list[ServerResource] = []
    cursor: str | None = None
    with anyio.fail_after(ASK_S):
        for _ in range(MOST_PAGES):
            page = await client.list_resources(cursor=cursor)
            found += [
                ServerResource(
                    item.uri,
                    item.name,
                    item.title or "",
                    item.description or "",
                    item.mime_type,
                    item.size,
                )
                for item in page.resources
            ]
            cursor = page.next_cursor
            if cursor is None or len(found) >= MOST:
                break
        templates = await client.list_resource_templates()
    return ServerResources(
        tuple(found[:MOST]),
        tuple(
            ResourceTemplate(item.uri_template, item.name, item.title or "", item.description or "")
            for item in templates.resource_templates[:MOST]
        ),
    )


async def read_resource(connection: McpConnection, uri: str) -> ReadResource:
    """A resource as text. Raises what a server can bring about."""
    with anyio.fail_after(ASK_S), connection.asking_nobody():
        found = await connection.client.read_resource(uri)
    texts = [contents_text(item) for item in found.contents]
    kinds = [item.mime_type for item in found.contents if item.mime_type]
    text = "\n\n".join(texts)
    is_cut = len(text) > MAX_TEXT
    return ReadResource(uri, encodable(text[:MAX_TEXT]), kinds[0] if kinds else None, is_cut)


def contents_text(contents: TextResourceContents | BlobResourceContents) -> str:
    """One part of a resource, in words."""
    if isinstance(contents, TextResourceContents):
        return contents.text
    kind = contents.mime_type or "application/octet-stream"
    return f"[{contents.uri}, {kind}: {len(contents.blob) * 3 // 4:,} bytes that are no text]"


async def raw_resource(connection: McpConnection, uri: str) -> dict[str, Any]:
    """A resource in the words of the protocol. Raises what a server can bring about."""
    with anyio.fail_after(ASK_S), connection.asking_nobody():
        found = await connection.client.read_resource(uri)
    return found.model_dump(by_alias=True, mode="json", exclude_none=True, exclude={"result_type"})


async def read_app(connection: McpConnection, uri: str) -> ReadApp:
    """An app. Raises UnusableApp, and what a server can bring about."""
    with anyio.fail_after(APP_S), connection.asking_nobody():
        found = await connection.client.read_resource(uri)
    for item in found.contents:
        if (item.mime_type or "").replace(" ", "").lower() == MEDIA_TYPE:
            html = html_of(item)
            if len(html) > MAX_PAGE:
                raise UnusableApp(f"it has more than {MAX_PAGE:,} characters")
            return ReadApp(encodable(html), item.meta)
    raise UnusableApp(f"{uri} is not of the kind {MEDIA_TYPE}")


def html_of(contents: TextResourceContents | BlobResourceContents) -> str:
    """The page of an app. Raises UnusableApp."""
    if isinstance(contents, TextResourceContents):
        return contents.text
    try:
        return base64.b64decode(contents.blob, validate=True).decode()
    except ValueError as error:
        raise UnusableApp("it is not text") from error


async def list_prompts(connection: McpConnection) -> tuple[ServerPrompt, ...]:
    """The prompts of a server. Raises what a server can bring about."""
    client = connection.client
    if client.server_capabilities.prompts is None:
        return ()
    found: list[ServerPrompt] = []
    cursor: str | None = None
    with anyio.fail_after(ASK_S):
        for _ in range(MOST_PAGES):
            page = await client.list_prompts(cursor=cursor)
            for item in page.prompts:
                arguments = tuple(
                    PromptArgument(one.name, one.description or "", bool(one.required))
                    for one in item.arguments or ()
                )
                found.append(
                    ServerPrompt(item.name, item.title or "", item.description or "", arguments)
                )
            cursor = page.next_cursor
            if cursor is None or len(found) >= MOST:
                break
    return tuple(found[:MOST])


async def get_prompt(connection: McpConnection, name: str, arguments: dict[str, str]) -> str:
    """A prompt as words to send. Raises UnusablePrompt, and what a server can bring about.

    A person sends them as their own, so they must be able to see all of them.
    """
    with anyio.fail_after(ASK_S), connection.asking_nobody():
        found = await connection.client.get_prompt(name, arguments)
    texts: list[str] = []
    for message in found.messages:
        match message.content:
            case TextContent(text=text):
                texts.append(text)
            case EmbeddedResource(resource=resource):
                texts.append(contents_text(resource))
            case ResourceLink(uri=uri):
                texts.append(f"[{uri}]")
            case other:
                texts.append(f"[{other.type}]")
    text = encodable("\n\n".join(texts)[:MAX_TEXT])
    unseen = next(invisible(text), None)
    if unseen is not None:
        raise UnusablePrompt(name, str(unseen))
    return text


async def complete(
    connection: McpConnection,
    kind: Literal["prompt", "resource"],
    name: str,
    argument: str,
    value: str,
    known: dict[str, str],
) -> Completions:
    """What an argument could be. Raises what a server can bring about."""
    if connection.client.server_capabilities.completions is None:
        return Completions(())
    about = PromptReference(name=name) if kind == "prompt" else ResourceTemplateReference(uri=name)
    with anyio.fail_after(ASK_S):
        found = await connection.client.complete(
            about, {"name": argument, "value": value}, known or None
        )
    values = tuple(map(encodable, found.completion.values[:MOST_VALUES]))
    return Completions(values, bool(found.completion.has_more))
