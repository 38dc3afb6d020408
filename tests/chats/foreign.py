"""Chats as other programs export them, in their shapes and with words of our own."""

import io
import json
import zipfile
from typing import Any

PIXEL = "data:image/png;base64,iVBORw0KGgo="


def node(
    key: str, parent: str | None, role: str, content: dict[str, Any] | str, **rest: Any
) -> dict[str, Any]:
    """One node of a ChatGPT chat."""
    made: dict[str, Any] = (
        {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
    )
    message: dict[str, Any] = {
        "id": key,
        "author": {"role": role, "name": rest.pop("name", None), "metadata": {}},
        "create_time": rest.pop("time", None),
        "update_time": None,
        "content": made,
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": rest.pop("metadata", {}),
        "recipient": rest.pop("recipient", "all"),
        "channel": None,
    }
    return {"id": key, "message": message, "parent": parent, "children": []}


CHATGPT: list[dict[str, Any]] = [
    {
        "title": "Plot of the data",
        "create_time": 1_730_000_000.5,
        "update_time": 1_730_000_900.0,
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["s"]},
            "s": node(
                "s", "root", "system", "", metadata={"is_visually_hidden_from_conversation": True}
            ),
            "about": node(
                "about",
                "s",
                "user",
                {"content_type": "user_editable_context", "user_profile": "A nurse."},
            ),
            "u1": node(
                "u1",
                "about",
                "user",
                {
                    "content_type": "multimodal_text",
                    "parts": [
                        {
                            "content_type": "image_asset_pointer",
                            "asset_pointer": "file-service://file-1",
                            "size_bytes": 10,
                            "width": 1,
                            "height": 1,
                        },
                        "Plot this, please.",
                    ],
                },
                time=1_730_000_010.0,
            ),
            "old": node("old", "u1", "assistant", "An answer that was tried again."),
            "t1": node(
                "t1",
                "u1",
                "assistant",
                {
                    "content_type": "thoughts",
                    "thoughts": [{"summary": "Plotting", "content": "A line would do."}],
                },
                time=1_730_000_011.0,
                metadata={"model_slug": "o3"},
            ),
            "c1": node(
                "c1",
                "t1",
                "assistant",
                {"content_type": "code", "language": "unknown", "text": "plot(1)"},
                time=1_730_000_012.0,
                recipient="python",
                metadata={"model_slug": "o3"},
            ),
            "r1": node(
                "r1",
                "c1",
                "tool",
                {"content_type": "execution_output", "text": "<Figure>"},
                name="python",
                time=1_730_000_013.0,
            ),
            "a1": node(
                "a1",
                "r1",
                "assistant",
                "Here it **is**.",
                time=1_730_000_014.0,
                metadata={"model_slug": "o3"},
            ),
        },
        "moderation_results": [],
        "current_node": "a1",
        "conversation_id": "11111111-2222-3333-4444-555555555555",
        "default_model_slug": "gpt-4o",
        "is_archived": False,
    }
]

CLAUDE: list[dict[str, Any]] = [
    {
        "uuid": "aaaa-1",
        "name": "Reading a paper",
        "created_at": "2025-03-01T10:00:00.000000Z",
        "updated_at": "2025-03-01T10:05:00.000000Z",
        "account": {"uuid": "acc"},
        "chat_messages": [
            {
                "uuid": "m1",
                "text": "What does it say?",
                "content": [{"type": "text", "text": "What does it say?", "citations": []}],
                "sender": "human",
                "created_at": "2025-03-01T10:00:01.000000Z",
                "updated_at": "2025-03-01T10:00:01.000000Z",
                "attachments": [
                    {
                        "file_name": "paper.txt",
                        "file_size": 12,
                        "file_type": "txt",
                        "extracted_content": "Sleep helps.",
                    }
                ],
                "files": [{"file_name": "scan.png"}],
            },
            {
                "uuid": "m2",
                "text": "It says that sleep helps.",
                "content": [
                    {"type": "thinking", "thinking": "Short paper.", "summaries": []},
                    {"type": "text", "text": "Let me look.", "citations": []},
                    {
                        "type": "tool_use",
                        "id": "toolu_1",
                        "name": "web_search",
                        "input": {"q": "s"},
                    },
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "name": "web_search",
                        "content": [{"type": "text", "text": "3 studies"}],
                        "is_error": False,
                    },
                    {"type": "text", "text": "It says that sleep helps.", "citations": []},
                ],
                "sender": "assistant",
                "created_at": "2025-03-01T10:00:09.000000Z",
                "updated_at": "2025-03-01T10:00:09.000000Z",
                "attachments": [],
                "files": [],
            },
        ],
    }
]

OPEN_WEBUI: list[dict[str, Any]] = [
    {
        "id": "w-1",
        "user_id": "u",
        "title": "Local model",
        "chat": {
            "id": "",
            "title": "Local model",
            "models": ["llama3:8b"],
            "params": {},
            "history": {
                "messages": {
                    "1": {
                        "id": "1",
                        "parentId": None,
                        "childrenIds": ["2", "3"],
                        "role": "user",
                        "content": "What is this?",
                        "timestamp": 1_740_000_000,
                        "files": [{"type": "image", "url": PIXEL}],
                        "models": ["llama3:8b"],
                    },
                    "2": {
                        "id": "2",
                        "parentId": "1",
                        "childrenIds": [],
                        "role": "assistant",
                        "content": "Another try.",
                        "model": "llama3:8b",
                        "timestamp": 1_740_000_005,
                    },
                    "3": {
                        "id": "3",
                        "parentId": "1",
                        "childrenIds": [],
                        "role": "assistant",
                        "content": '<details type="reasoning" done="true" duration="2">\n'
                        "<summary>Thought for 2 seconds</summary>\n"
                        "> One pixel &lt;1x1&gt;.\n> White.\n</details>\nA pixel.",
                        "model": "qwen3",
                        "modelName": "Qwen 3",
                        "timestamp": 1_740_000_009,
                        "done": True,
                    },
                },
                "currentId": "3",
            },
            "messages": [],
            "tags": [],
            "timestamp": 1_740_000_000_000,
            "files": [],
        },
        "updated_at": 1_740_000_010,
        "created_at": 1_740_000_000,
        "share_id": None,
        "archived": False,
        "pinned": False,
        "meta": {},
        "folder_id": None,
    }
]


def _said(key: str, parent: str, text: str, second: int, **rest: Any) -> dict[str, Any]:
    return {
        "messageId": key,
        "parentMessageId": parent,
        "conversationId": "lc-1",
        "sender": "User",
        "text": text,
        "isCreatedByUser": True,
        "createdAt": f"2025-05-01T12:00:{second:02}.000Z",
        "error": False,
        "unfinished": False,
        **rest,
    }


NO_PARENT = "00000000-0000-0000-0000-000000000000"
LIBRECHAT: dict[str, Any] = {
    "conversationId": "lc-1",
    "endpoint": "anthropic",
    "title": "Weather",
    "exportAt": "12:30:00 GMT+0000 (Coordinated Universal Time)",
    "branches": True,
    "recursive": False,
    "options": {"model": "claude-sonnet"},
    "messages": [
        _said("l1", NO_PARENT, "Will it rain?", 1),
        _said("l2", "l1", "Perhaps.", 2, sender="Claude", isCreatedByUser=False, model="haiku"),
        _said(
            "l3",
            "l1",
            "",
            9,
            sender="Claude",
            isCreatedByUser=False,
            content=[
                {"type": "think", "think": "Ask the tool."},
                {
                    "type": "tool_call",
                    "tool_call": {
                        "id": "call_9",
                        "name": "weather",
                        "args": '{"city": "Bern"}',
                        "type": "tool_call",
                        "progress": 1,
                        "output": "rain",
                    },
                },
                {"type": "text", "text": {"value": "Yes, it will."}},
            ],
        ),
    ],
}
_FIRST, _SECOND, _THIRD = LIBRECHAT["messages"]
LIBRECHAT_NESTED: dict[str, Any] = {
    **{name: value for name, value in LIBRECHAT.items() if name != "messages"},
    "recursive": True,
    "messagesTree": [
        {**_FIRST, "children": [{**_SECOND, "children": []}, {**_THIRD, "children": []}]}
    ],
}


def packed(document: object) -> bytes:
    """The document as a file."""
    return json.dumps(document).encode()


def zipped(**files: bytes) -> bytes:
    """JSON files in a zip archive; two underscores in a name are a folder."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(name.replace("__", "/") + ".json", data)
    return archive.getvalue()
