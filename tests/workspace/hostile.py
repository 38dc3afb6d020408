"""Paths that try to leave the folder, and a folder full of ways out."""

import os
from itertools import product
from pathlib import Path

CANARY = b"canary: this must never leave its place"

PREFIXES = ("", "sub/", "dir_in/", "out_dir/", "./", "/", "file://", "inside.txt/")
STEPS = ("../", "..\\", "..//", "....//", "%2e%2e/", "..%2f", "..%c0%af", "．．/", "..;/", "‥/")
TARGETS = (
    "outside.txt",
    "data-secret/secret.txt",
    "etc/passwd",
    "proc/self/root/etc/passwd",
    "proc/self/environ",
    "dev/zero",
)
HAND_MADE = (
    "..",
    ".",
    "/",
    "//",
    "../data-secret/secret.txt",
    "../data/../data-secret/secret.txt",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd",
    "/dev/fd/0",
    "/dev/zero",
    "~/.ssh/id_rsa",
    "$HOME/.bashrc",
    "C:\\Windows\\win.ini",
    "\\\\server\\share",
    "file:///etc/passwd",
    "sub/../../outside.txt",
    "inside.txt/..",
    "inside.txt/../../outside.txt",
    "inside.txt\0.md",
    "\0",
    "sub//deep.txt",
    "sub/",
    "sub/.",
    "a" * 256,
    "é" * 128,
    "a/" * 3000 + "a",
    "\udcff",
    "\ud800",
    "out_file",
    "out_dir",
    "out_dir/outside.txt",
    "out_dir/data-secret/secret.txt",
    "abs_out",
    "abs_dir/outside.txt",
    "abs_inside",
    "dangling",
    "dangling/x",
    "dangling_out",
    "dangling_out/x",
    "loop",
    "loop/x",
    "loop_a",
    "loop_a/x",
    "up_through",
    "chain",
    "proc_root",
    "proc_root/etc/passwd",
    "proc_fd/0",
    "fifo",
    "fifo/x",
    ".git/config",
    ".GIT/config",
    ".Git/hooks/post-checkout",
    ".git./config",
    ".git /config",
    ".g\u200cit/config",
    "．git/config",
    ".ｇit/config",
    ".git::$INDEX_ALLOCATION/config",
    "GIT~1/config",
    "sub/.git/config",
    "git_link/config",
    ".recto/tools.json",
    ".RECTO/tools.json",
    ".rectO/x",
    "sub/.recto/x",
)
CORPUS = HAND_MADE + tuple(
    prefix + step * depth + target
    for prefix, step, depth, target in product(PREFIXES, STEPS, (1, 2, 8), TARGETS)
)


def furnish(root: Path) -> Path:
    """Fill the root with ways out; answer the folder around it, which must stay as it is."""
    around = root.parent
    (around / "outside.txt").write_bytes(CANARY)
    (around / "data-secret").mkdir()
    (around / "data-secret" / "secret.txt").write_bytes(CANARY)
    (around / "hard.txt").write_bytes(b"linked from inside")
    (root / "inside.txt").write_bytes(b"inside")
    (root / "sub").mkdir()
    (root / "sub" / "deep.txt").write_bytes(b"deep")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"[core]")
    (root / ".recto").mkdir()
    (root / ".recto" / "tools.json").write_bytes(b"{}")
    os.link(around / "hard.txt", root / "hard.txt")
    os.mkfifo(root / "fifo")
    links = {
        "link_in": "inside.txt",
        "dir_in": "sub",
        "back_in": "sub/../inside.txt",
        "out_file": "../outside.txt",
        "out_dir": "..",
        "abs_out": str(around / "outside.txt"),
        "abs_dir": str(around),
        "abs_inside": str(root / "inside.txt"),
        "dangling": "nowhere",
        "dangling_out": "../nowhere",
        "loop": "loop",
        "loop_a": "loop_b",
        "loop_b": "loop_a",
        "up_through": "sub/../../outside.txt",
        "chain": "out_dir/outside.txt",
        "proc_root": "/proc/self/root",
        "proc_fd": "/proc/self/fd",
        "git_link": ".git",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return around


def snapshot(around: Path, root: Path) -> dict[str, bytes]:
    """Every file around the root, and git's and Recto's own in it, with its content."""
    outside = (path for path in around.rglob("*") if not path.is_relative_to(root))
    own = (path for name in (".git", ".recto") for path in (root / name).rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in (*outside, *own)}
