"""Runs real coding clients through a real gateway. They are installed beside Recto, once.

`python scripts/clients.py [NAME…]`; nothing of theirs becomes part of the project.
"""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from page import node_files

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = ROOT / "build" / "clients"
STAMP = CLIENTS / "installed"
PACKAGES = ("@anthropic-ai/claude-code@2.1.327", "@openai/codex@0.169.0", "opencode-ai@1.18.18")
AIDER = "aider-chat==0.86.2"
WANTED = "\n".join((*PACKAGES, AIDER))


def main() -> None:
    """Install what is missing, then run."""
    unshare = shutil.which("unshare")
    if unshare is None:
        sys.exit("clients: `unshare` is missing (Linux, util-linux): it shuts the clients off.")
    install()
    # A network of their own, in which there is nothing but loopback: nobody is told anything.
    command = [unshare, "--map-root-user", "--net", "--mount"]
    command += [sys.executable, "-m", "tests.clients.run", str(CLIENTS), *sys.argv[1:]]
    environment = {**os.environ, "PATH": f"{node_files()[0].parent}:{os.environ['PATH']}"}
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)


def install() -> None:
    """Install the clients of these versions."""
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == WANTED:
        return
    print("clients: installing Claude Code, Codex, OpenCode and aider", flush=True)
    shutil.rmtree(CLIENTS, ignore_errors=True)
    CLIENTS.mkdir(parents=True)
    node, npm = node_files()
    environment = {**os.environ, "PATH": f"{node.parent}:{os.environ['PATH']}"}
    npm_install = [node, npm, "install", "--prefix", CLIENTS, "--no-audit"]
    npm_install += ["--no-fund", "--loglevel=error", *PACKAGES]
    subprocess.run(npm_install, cwd=CLIENTS, env=environment, check=True)
    venv.create(CLIENTS / "aider", with_pip=True)
    pip = [CLIENTS / "aider" / "bin" / "python", "-m", "pip", "install", "-q"]
    subprocess.run([*pip, "--disable-pip-version-check", AIDER], check=True)
    STAMP.write_text(WANTED, encoding="utf-8")


if __name__ == "__main__":
    main()
