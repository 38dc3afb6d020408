"""Other programs' tools: a client of the Model Context Protocol."""

from recto.mcp.app_calls import call_for_app, tool_for_app
from recto.mcp.approval import start_digest, start_lines, written_out
from recto.mcp.apps import ORIGIN, AppPage, ToolAnswer, frame_policy
from recto.mcp.configuration import FOLDER_FILE, FOREIGN_FILES, HOME_FILE, ServerConfig
from recto.mcp.definitions import ToolDefinition, difference, digest_of
from recto.mcp.failures import (
    McpChanged,
    McpFailure,
    McpFileInvalid,
    McpNameTaken,
    NoSuchMcpServer,
    NoSuchMcpTool,
    ServerUnavailable,
)
from recto.mcp.names import id_of, offered_name
from recto.mcp.records import ServerRecords
from recto.mcp.server import McpServer
from recto.mcp.server_services import ServerServices
from recto.mcp.server_state import ServerState
from recto.mcp.servers import (
    FolderServers,
    McpServers,
    OfferedTools,
    ServerFile,
    ServerInstructions,
    find_tool,
)
from recto.mcp.signing_in.sign_ins import McpSignIns
from recto.mcp.tool import declaration_of, unusable

__all__ = [
    "AppPage",
    "FOLDER_FILE",
    "FOREIGN_FILES",
    "HOME_FILE",
    "FolderServers",
    "McpChanged",
    "McpFailure",
    "McpFileInvalid",
    "McpNameTaken",
    "McpServer",
    "McpServers",
    "NoSuchMcpServer",
    "ORIGIN",
    "NoSuchMcpTool",
    "OfferedTools",
    "ServerConfig",
    "ServerFile",
    "ServerInstructions",
    "ServerRecords",
    "ServerServices",
    "ServerState",
    "ServerUnavailable",
    "McpSignIns",
    "ToolAnswer",
    "ToolDefinition",
    "call_for_app",
    "frame_policy",
    "tool_for_app",
    "declaration_of",
    "difference",
    "digest_of",
    "find_tool",
    "id_of",
    "offered_name",
    "start_digest",
    "start_lines",
    "unusable",
    "written_out",
]
