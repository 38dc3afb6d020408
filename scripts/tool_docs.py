"""Prints docs/tools.md, made from the tools' own declarations."""

from recto.tools import (
    DECLARATIONS,
    PROPOSE_EDIT,
    READ_SKILL,
    Declaration,
    DocumentTarget,
    document_tools,
)

# ruff: noqa: E501 - the page is prose with long lines
PAGE = """# Tools

What a model can do in your folder. Each tool is declared once; this page is made from the declarations by `scripts/tool_docs.py`.

{tools}
Paths are relative to the folder. An absolute path inside it, and one with `..`, is taken for the relative one; what leads out of the folder is refused.

These change no file: a proposal is a card, and an edit in it is made when you apply it; a task is a comment in the margin. Only a comment in a Word document is in the document itself.

[References](references.md) tells of the library, and of what searches send to whom.

## Where there are skills

A folder with [skills](skills.md) that may be used, yours or its own, has one more. While a skill that names tools is on, only those are offered, and the ones that read.

{skills}
## In a thread

A thread on a file has all of these, and one more.

{thread}
## One open document

The [document agent](chat.md#the-document-agent) has these and no others. The rules of `edit_file` and `read_file` hold for them.

{document}
## Which calls ask

Commands and deletions ask; the rest runs at once, and every change can be undone. Rules change that. They lie in `tools.json` in the Recto home:

```json
{{"version": 1, "disabled": ["delete_file"], "ask": ["write_file: thesis/*"], "allow": ["run_command: git status*"]}}
```

- A rule is a tool's name, or a name and a pattern for its main argument (in the tables above in bold), with `*` for anything. A tool in `disabled` is not offered to a model.
- Rules about some calls come before rules about all, and asking before allowing.
- Once the AI has read something in a chat (a tool's answer, an attached file or picture, names of folders, the folder's recent changes, what was imported), a rule that allows every command, or every call of a tool that reaches out,
  counts no more in that chat: the text may hold instructions of others. Rules that name the command still count. `ask_after_reading = false` turns this off.
- For commands, a rule in `allow` is about one plain command: with `;`, `|`, `$(…)`, redirections, wildcards or variables in it, it asks. `git status*` means that command and
  harmless arguments, not `git status-x`. Options, and subcommands of `git` and the like, are added only if they are on the list of that program
  (`tools/data/command_options.json`); a program that is not on it gets no options, and one that runs what it is given (`env`, `xargs`, `sh`, `sed`) only what the rule names.
- `reaches_out` in `disabled` turns off every tool that reaches a third party (in the tables: reaches out), whatever the other rules say. `PUT /api/v1/tools/reaches-out` is the switch for it.
- A folder's own `.recto/tools.json` has the same form, but can only disable and ask. What it allows is not read.
- These ask whatever the rules say: a change to a file that controls programs or the AI (`AGENTS.md`, `.vscode`, `.github/workflows`, shell start-up files, `conftest.py` and
  the like: the list is `tools/data/startup_files.json`; a command that has changed some asks before they are kept), a command that wants the network, and every command while commands run unsandboxed.

## What tools can't see

Files that `.rectoignore` names (in the form of `.gitignore`), and those that are likely to hold secrets: `.env` and its like, keys, certificates, stored passwords. No tool reads,
lists, searches or changes them, by whatever name or link; the page still shows them. A `.rectoignore` can only hide more: nothing in the folder takes a name off that list. You can still attach such a file to a message yourself. git's own folder and Recto's are closed, too,
except the folder's skills. Nothing outside the folder can be reached.
"""
NAMES = {
    "workspace": "Files and commands",
    "references": "References",
    "feedback": "Feedback",
    "notebooks": "Notebooks",
    "web": "The web",
}


def page() -> str:
    """The whole page."""
    needing = {tool.name for tool in (READ_SKILL, PROPOSE_EDIT.declaration)}
    tools = [tool for tool in DECLARATIONS if tool.name not in needing]
    groups = {group: [tool for tool in tools if tool.group == group] for group in NAMES}
    ours = [tool.declaration for tool in document_tools(DocumentTarget("", nothing, nothing))]
    return PAGE.format(
        tools="\n".join(section(NAMES[group], some) for group, some in groups.items() if some),
        skills=table([READ_SKILL]),
        thread=table([PROPOSE_EDIT.declaration]),
        document=table(ours),
    )


async def nothing() -> None:
    """Stands where a document would be: nothing is read here."""


def section(name: str, tools: list[Declaration]) -> str:
    """A group of tools under its name."""
    return f"## {name}\n\n{table(tools)}"


def table(tools: list[Declaration]) -> str:
    """Tools as a table."""
    rows = [
        f"| `{tool.name}` | {tool.title} | {arguments(tool)} | {marks(tool)} |" for tool in tools
    ]
    head = ["| tool | what it does | arguments | |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows, ""])


def marks(tool: Declaration) -> str:
    """What people should know of a tool before they let it run."""
    found = (("asks", tool.asks), ("reaches out", tool.reaches_out))
    return ", ".join(word for word, holds in found if holds)


def arguments(tool: Declaration) -> str:
    """The arguments of a tool; those that may be left out have a question mark."""
    required = tool.parameters["required"]
    return ", ".join(
        f"{'**' if name == tool.main else ''}{name}{'**' if name == tool.main else ''}"
        f"{'' if name in required else '?'}"
        for name in tool.parameters["properties"]
    )


if __name__ == "__main__":
    print(page(), end="")
