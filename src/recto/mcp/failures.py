"""What can go wrong with servers of the Model Context Protocol."""


class McpFailure(Exception):
    """Something about a server is not as it must be; says what, and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class NoSuchMcpServer(McpFailure):
    """There is no server of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no MCP server {name!r} here.", "Choose one from the list.")


class NoSuchMcpTool(McpFailure):
    """The server has no such tool."""

    def __init__(self, server: str, tool: str) -> None:
        super().__init__(f"{server} has no tool {tool!r}.", "Choose one from the list.")


class McpChanged(McpFailure):
    """What was agreed to is not what stands there now."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} has changed meanwhile.", "Look at it again, then decide.")


class McpNameTaken(McpFailure):
    """The home has a server of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a server {name} already.", "Choose another name, or remove it.")


class McpFileInvalid(McpFailure):
    """A file of servers can't be read."""

    def __init__(self, source: str, why: str) -> None:
        super().__init__(f"{source} can't be read: {why}.", "Correct the file.")


class ServerUnavailable(McpFailure):
    """A server can't be asked now."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"The MCP server {name} {why}.", "See its log in the settings.")


class UnusableApp(McpFailure):
    """A server's app can't be shown."""

    def __init__(self, why: str) -> None:
        super().__init__(f"It can't be shown: {why}.", "Tell whoever wrote the server.")


class UnusablePrompt(McpFailure):
    """A server's prompt can't be put into a message."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"The prompt {name!r} is not used: {why}.", "Write it yourself.")


class ServerEnded(Exception):
    """A server's connection is over; the words tell how, without quoting what it said."""
