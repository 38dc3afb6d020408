"""Files that control programs: the AI's own instructions, what editors, shells and others run.

A change to one of them always asks, whatever the rules say. Names are compared as the most
forgiving file system would: without case, Unicode forms, invisible letters.
"""

from recto.workspace import plain

NAMES = frozenset({
    # what the AI itself is told, and what it may use
    "_instructions.md", "agents.md", "agents.override.md", "claude.md", "claude.local.md",
    "gemini.md", "skill.md", ".agents", ".claude", ".codex", ".cursor", ".cursorrules", ".gemini",
    ".windsurfrules", ".clinerules", ".mcp.json", ".rectoignore",
    # editors
    ".vscode", ".idea", ".vs", ".fleet", ".zed", ".vimrc", ".nvimrc", ".exrc", ".nvim.lua",
    ".emacs", ".emacs.d", ".dir-locals.el", ".devcontainer", ".devcontainer.json",
    # shells, and what starts with them
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
    ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc",
    ".login", ".logout", ".inputrc", ".xinitrc", ".xprofile", ".xsession", ".xsessionrc",
    ".envrc", ".direnvrc", ".tmux.conf",
    # git and what runs with it
    ".git", "git~1", ".recto", ".gitattributes", ".gitmodules", ".gitconfig", ".husky",
    ".pre-commit-config.yaml", "lefthook.yml", ".gitlab-ci.yml", ".circleci",
    # Python runs these unasked
    "conftest.py", "sitecustomize.py", "usercustomize.py",
})  # fmt: skip
ENDINGS = (".pth", ".code-workspace")
PLACES = (
    (".github", "workflows"),
    (".github", "actions"),
    (".config", "fish"),
    (".config", "nvim"),
    (".local", "bin"),
)


def is_control(path: str) -> bool:
    """Whether a path, or a folder on the way to it, controls a program."""
    parts = [plain(name) for name in path.split("/")]
    if any(name in NAMES or name.endswith(ENDINGS) for name in parts):
        return True
    return any(parts[at : at + 2] == list(place) for at in range(len(parts)) for place in PLACES)
