"""What a command may see of the machine around the folder: programs, not other people's folders."""

import os
from collections.abc import Collection, Iterator

from recto.processes import absolute_path

# programs, their libraries, and what the system says of itself
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/sys",
    "/var/lib/texmf",
    "/var/lib/tex-common",
    "/var/lib/dpkg",
    "/var/cache/fontconfig",
)
# sockets of other programs, other people's files, other people's temporary files
COVERED = ("/home", "/root", "/run", "/mnt", "/media", "/var/tmp", "/etc/ssl/private")
COVERED_FILES = ("/etc/shadow", "/etc/gshadow", "/etc/sudoers")
# programs that people install into their home, without the secrets beside them
TOOLS = (
    ".local/bin",
    ".local/lib",
    ".local/share/uv",
    ".local/share/pipx",
    ".local/share/mise",
    ".cargo/bin",
    ".rustup/toolchains",
    ".rustup/settings.toml",
    ".pyenv",
    ".nvm",
    ".asdf",
    ".volta",
    ".bun/bin",
    ".deno/bin",
    ".juliaup",
    ".TinyTeX",
    "go/bin",
    "miniconda3",
    "miniforge3",
    "anaconda3",
)

INSTALLED = ("pyvenv.cfg", "conda-meta", "lib")


def own_programs() -> list[str]:
    """What people installed for themselves: in their home, and wherever PATH leads."""
    home = os.path.realpath(os.path.expanduser("~"))
    found = [os.path.join(home, name) for name in TOOLS]
    for entry in absolute_path().split(os.pathsep):
        real = os.path.realpath(entry)
        # Of another place in a home, PATH says nothing: secrets may lie beside.
        if not is_beneath(real, (*SYSTEM, *COVERED, home, "/tmp")):
            found.append(installation(real))
    return list(dict.fromkeys(path for path in found if path != "/" and os.path.exists(path)))


def installation(programs: str) -> str:
    """The folder that a folder of programs belongs to."""
    above = os.path.dirname(programs)
    is_one = os.path.basename(programs) == "bin" and any(
        os.path.exists(os.path.join(above, name)) for name in INSTALLED
    )
    return above if is_one else programs


def is_beneath(path: str, folders: Collection[str]) -> bool:
    """Whether a path is one of the folders, or in one of them."""
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def without(path: str, closed: Collection[str]) -> Iterator[str]:
    """The path, or, where something in it is closed, everything else that is in it."""
    if is_beneath(path, closed):
        return
    if not os.path.isdir(path) or not any(is_beneath(item, (path,)) for item in closed):
        yield path
        return
    for name in sorted(os.listdir(path)):
        yield from without(os.path.join(path, name), closed)
