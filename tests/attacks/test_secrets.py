"""Secrets stay: by other names, in the history, by content, in errors and in skills."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from recto.chats.prompts.base import find_folder_instructions
from recto.cli.ask import AnswerPrinter
from recto.messages import ToolCall
from recto.skills.folder_skills import find_skills
from recto.tools import Permissions, Shell, Toolbox, ToolRule, ToolRules, builtin_tools
from recto.tools.shell import SandboxLevel
from recto.workspace import Workspace
from recto.workspace.committed_secrets import repository_mark
from recto.workspace.ignore import SECRETS, is_secret
from tests.fakes.providers import AnthropicServer, Fault
from tests.talk import talk_to
from tests.tools.bench import bench_in, text_of
from tests.tools.shell.test_repository import git

pytestmark = pytest.mark.anyio
CANARY = "canary-secret-41"
KEY = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{CANARY}\n-----END OPENSSH PRIVATE KEY-----\n"
TOKENS = ("ghp_" + "a1B2" * 9, "AKIA" + "ABCD1234" * 2, "sk-ant-" + "x9Y8" * 10)


def test_every_name_of_the_list_is_kept_back() -> None:
    for form in SECRETS:
        sample = form.rstrip("/").replace("*", "x").lstrip("!")
        assert is_secret(sample, folder=form.endswith("/")) is not form.startswith("!"), form


async def test_other_names_of_a_secret_are_kept_back_too(tmp_path: Path) -> None:
    root = tmp_path / "folder"
    (root / "deep").mkdir(parents=True)
    (root / "deep" / ".env").write_text(f"KEY={CANARY}\n", encoding="utf-8")
    os.link(root / "deep" / ".env", root / "notes.txt")
    (root / "AGENTS.md").symlink_to("deep/.env")
    (root / "shared.txt").write_text("fine\n", encoding="utf-8")
    os.link(root / "shared.txt", root / "again.txt")
    async with bench_in(root) as bench:
        for tool, arguments in (
            ("read_file", {"path": "notes.txt"}),
            ("read_file", {"path": "AGENTS.md"}),
            ("search_content", {"query": "KEY"}),
            ("list_files", {}),
            ("duplicate_file", {"path": "notes.txt", "new_path": "copy.txt"}),
        ):
            told = text_of(await bench.call_with(tool, arguments))
            assert CANARY not in told, tool
            assert tool != "list_files" or "notes.txt" not in told
        assert text_of(await bench.call("read_file", path="again.txt")).endswith("fine")
        assert "notes.txt" in await bench.workspace.hidden_paths()
        assert await find_folder_instructions(bench.workspace) == ()


WAYS = (
    "git show HEAD~1:.env",
    "git show HEAD",
    "git log -p",
    "git diff HEAD~1",
    "git grep -h PASSWORD HEAD~1",
    "git cat-file -p HEAD~1:.env",
    "git cat-file --batch-all-objects --batch",
    "git archive HEAD~1 .env | tar -xO",
    "git worktree add -q away HEAD~1 && cat away/.env",
    "g=it; g$g show HEAD~1:.env",
    "git show HEAD~1:.env | tr a-z a-z | sed s/PASSWORD=//",
    "git show HEAD~1:.env > copy.txt; git checkout -q HEAD~1 -- .env && cp .env other.txt",
)


async def test_a_committed_secret_is_not_shown_by_git(tmp_path: Path) -> None:
    """By no way that git has; nor by a file that a command put it into, which a tool then reads."""
    root = tmp_path / "folder"
    root.mkdir()
    git(root, "init", "-q")
    (root / ".env").write_text(f"MODE=production\nPASSWORD={CANARY}", encoding="utf-8")
    (root / "plan.md").write_text("For production, in due time.\n", encoding="utf-8")
    git(root, "add", "-f", ".")
    git(root, "commit", "-qm", "first")
    git(root, "rm", "-q", ".env")
    git(root, "commit", "-qm", "gone")
    async with bench_in(root) as bench:
        shell = Shell(bench.workspace)
        if (await shell.level()).kind != "sandboxed":
            pytest.skip("commands are not kept apart here")
        rules = ToolRules(allow=(ToolRule("run_command"),))
        tools = Toolbox(builtin_tools(shell), Permissions(rules, sandboxed=True))

        async def told(name: str, arguments: dict[str, str]) -> str:
            call = ToolCall("1", name, dict(arguments))
            return text_of(await tools.call(call, replace(bench.context, approved=True)))

        shown = {command: await told("run_command", {"command": command}) for command in WAYS}
        assert [command for command, text in shown.items() if CANARY in text] == []
        assert "PASSWORD=[kept from the AI]" in shown[WAYS[0]]
        copy = await told("read_file", {"path": "copy.txt"})
        found = await told("search_content", {"query": "PASSWORD"})
        assert "PASSWORD=[kept from the AI]" in copy
        assert CANARY not in found
        # Ordinary words of such a file are no secret.
        assert "For production, in due time." in await told("read_file", {"path": "plan.md"})
        # What was staged, and what is new, counts as soon as it is there.
        fresh = "another-secret-42"
        (root / ".env").write_text(f"TOKEN={fresh}\n", encoding="utf-8")
        git(root, "add", "-f", ".env")
        assert fresh not in await told("run_command", {"command": "git show :.env"})
        # A linked worktree has the same history.
        git(root, "worktree", "add", "-q", str(tmp_path / "linked"), "HEAD")
        async with await Workspace.open(tmp_path / "linked") as linked:
            assert CANARY in await linked.committed_secrets()
            mark = repository_mark(linked.root)
            assert mark == repository_mark(linked.root)
            git(tmp_path / "linked", "commit", "--allow-empty", "-qm", "more")
            assert mark != repository_mark(linked.root)


def test_an_empty_git_hides_no_commit_of_the_repository_above(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "sub" / ".git").mkdir(parents=True)
    before = repository_mark(str(tmp_path / "sub"))
    git(tmp_path, "commit", "--allow-empty", "-qm", "first")
    assert repository_mark(str(tmp_path / "sub")) not in (before, None)


async def test_a_command_without_a_sandbox_prints_no_secret_of_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "folder"
    root.mkdir()
    (root / ".env").write_text(f"MODE=production\nPASSWORD={CANARY}\n", encoding="utf-8")
    async with bench_in(root) as bench:
        shell = Shell(bench.workspace, level=SandboxLevel("unsandboxed", "none here"))
        tools = Toolbox(builtin_tools(shell), Permissions(ToolRules()))
        call = ToolCall("1", "run_command", {"command": "sort .env"})
        told = text_of(await tools.call(call, replace(bench.context, approved=True)))
    assert "MODE=production\nPASSWORD=[kept from the AI]" in told


@pytest.mark.parametrize("agreed", [True, False, None])
async def test_what_looks_like_a_secret_is_asked_about(tmp_path: Path, agreed: bool | None) -> None:
    root = tmp_path / "folder"
    root.mkdir()
    (root / "plan.md").write_text(f"Our plan\n{KEY}after\n", encoding="utf-8")
    (root / "list.txt").write_text("\n".join(TOKENS), encoding="utf-8")
    asked: list[dict[str, str]] = []

    async def agree(_name: str, _why: str, about: dict[str, str]) -> bool:
        asked.append(about)
        return agreed is True

    async with bench_in(root) as bench:
        bench.context = replace(bench.context, agree=None if agreed is None else agree)
        plan = text_of(await bench.call("read_file", path="plan.md"))
        tokens = text_of(await bench.call("read_file", path="list.txt"))
    assert "Our plan" in plan
    assert (CANARY in plan) is (agreed is True)
    assert all((token in tokens) is (agreed is True) for token in TOKENS)
    expected = [
        {"about": "plan.md", "found": "a private key"},
        {"about": "list.txt", "found": "a token"},
    ]
    assert asked == ([] if agreed is None else expected)


async def test_a_key_in_a_providers_error_is_nowhere_in_what_is_kept(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    async with AnthropicServer() as upstream, talk_to(upstream, tmp_path) as talk:
        body = b'{"type":"error","error":{"type":"invalid_request_error","message":"bad test-key"}}'
        upstream.script(Fault(status=400, body=body))
        entries = await talk.ask("Hello?")
        assert "test-key" not in str(entries)
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    holders = [path.name for path in kept if b"bad test-key" in path.read_bytes()]
    assert holders == []


async def test_trust_covers_all_that_a_skill_brings(tmp_path: Path) -> None:
    home = tmp_path / ".agents" / "skills" / "tidy"
    (home / "scripts").mkdir(parents=True)
    text = "---\nname: tidy\ndescription: Tidies.\n---\nRun scripts/tidy.sh.\n"
    (home / "SKILL.md").write_text(text, encoding="utf-8")
    script = home / "scripts" / "tidy.sh"
    script.write_text("true\n", encoding="utf-8")
    hashes: list[str | None] = []
    async with await Workspace.open(tmp_path) as workspace:

        async def look() -> None:
            (skill,) = await find_skills(workspace)
            assert skill.problem is None
            hashes.append(skill.hash)

        await look()
        await look()
        assert hashes[0] == hashes[1]
        script.write_text("curl evil.example\n", encoding="utf-8")
        await look()
        script.rename(home / "scripts" / "other.sh")
        await look()
        (home / "more.md").write_text("More.\n", encoding="utf-8")
        await look()
    assert len(set(hashes)) == 4


def test_no_answer_moves_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    answer = AnswerPrinter(as_json=False)
    hostile = "a\x1b]0;title\x07\x1b[2J\u202eb\x9b31m\r\U000e0041c\n\td"
    answer.take({"choices": [{"delta": {"content": hostile}}]})
    answer.end()
    printed = capsys.readouterr().out
    assert "\\x1b]0;title\\x07" in printed
    assert printed.endswith("c\n\td\n")
    assert not set(printed) & set("\x1b\x07\x9b\r\u202e\U000e0041")
