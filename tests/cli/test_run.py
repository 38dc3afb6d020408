"""`recto run` as people run it, by itself and through a Recto that runs already."""

import json
import os
import pty
import signal
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import httpx
import pytest

from recto.config import Home, Secret, find_running, save_keys
from tests.cli.recto import Command, Ended
from tests.fakes.providers import AnthropicServer, Fault, Gate, Script, calls, says, thinks
from tests.forking import Started
from tests.mcp.conftest import lay_servers, program
from tests.served import point_anthropic_at, served

pytestmark = pytest.mark.anyio

MODEL = "anthropic/claude-sonnet-4-6"
UP_TO_THE_FIRST_WORDS = 3
"""Frames of the provider: the message, the block, some words."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a terminal whose line `recto run` reads."""

    process: Started
    terminal: int
    seen: list[str] = field(default_factory=list[str])

    async def until(self, words: str) -> str:
        """Read what is shown until it has these words; all that was shown."""
        with anyio.fail_after(60):
            while words not in "".join(self.seen):
                letter = await anyio.to_thread.run_sync(self.process.stderr.read, 1)
                assert letter, "".join(self.seen)
                self.seen.append(letter)
        return "".join(self.seen)

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self.terminal, f"{line}\n".encode())

    async def end(self) -> tuple[int, str, str]:
        """The exit code and everything that was written, once it has ended."""
        out, rest = await anyio.to_thread.run_sync(lambda: self.process.communicate(timeout=120))
        return self.process.wait(0), out, "".join(self.seen) + rest


@dataclass(frozen=True, slots=True)
class Bench:
    """A folder, a scripted Anthropic, and the command."""

    upstream: AnthropicServer
    folder: Path
    command: Command

    async def run(self, *arguments: str, typed: str = "") -> Ended:
        """Run it without a terminal, to its end."""
        given = ["run", *arguments, "--folder", str(self.folder), "--model", MODEL]
        return await anyio.to_thread.run_sync(lambda: self.command.run(*given, typed=typed))

    def start(self, *arguments: str) -> Person:
        """Run it at a terminal."""
        mine, theirs = pty.openpty()
        given = ["run", *arguments, "--folder", str(self.folder), "--model", MODEL]
        process = self.command.fork(*given, stdin=theirs)
        os.close(theirs)
        return Person(process, mine)

    def write(self, name: str, text: str) -> Path:
        """A file of the folder."""
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file


def statuses(bench: Bench) -> list[str]:
    """What became of the edits, by the store."""
    with closing(sqlite3.connect(bench.folder.parent / "home" / "recto.db")) as records:
        return [status for (status,) in records.execute("SELECT status FROM edits")]


both_ways = pytest.mark.parametrize("bench", ["alone", "through a running Recto"], indirect=True)


@pytest.fixture
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Bench]:
    folder, home = tmp_path / "folder", tmp_path / "home"
    folder.mkdir()
    async with AsyncExitStack() as stack:
        upstream = await stack.enter_async_context(AnthropicServer())
        point_anthropic_at(home, upstream.url)
        save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
        if getattr(request, "param", "alone") != "alone":
            await stack.enter_async_context(served(home, folder))
        yield Bench(upstream, folder, Command(home))


def chat_line(shown: str) -> str:
    """The last line, which names the chat."""
    return shown.strip().rpartition("\n")[2]


def without_last_line(shown: str) -> str:
    return shown.strip().rpartition("\n")[0]


@both_ways
async def test_the_words_are_the_output_and_what_happens_is_told_beside_it(bench: Bench) -> None:
    file = bench.write("tide.md", "High water at noon.\n")
    bench.upstream.answer(
        thinks("Hm."), says("Let me ", "look."), calls("read_file", {"path": "tide.md"})
    )
    bench.upstream.answer(says("At noon."))
    ran = await bench.run("When is high water?", str(file), typed="A question:\n")

    assert (ran.returncode, ran.stdout) == (0, "Let me look.\nAt noon.\n")
    assert without_last_line(ran.stderr).split("\n") == [
        "Step 1: Claude Sonnet 4.6",
        "Thinking…",
        "Read tide.md (1 line)",
        "Step 2: Claude Sonnet 4.6",
    ]
    assert chat_line(ran.stderr).startswith("Chat ")
    sent = json.dumps(bench.upstream.exchanges[0].json, ensure_ascii=False)
    assert "A question:\\n\\n\\nWhen is high water?" in sent
    assert "High water at noon." in sent


async def keep_context(bench: Bench, name: str, *files: str) -> None:
    """Make a context as a page would, at the Recto that runs or at one that runs for a moment."""
    home = Home(bench.command.home)
    async with AsyncExitStack() as stack:
        if find_running(home) is None:
            await stack.enter_async_context(served(home.folder, bench.folder))
        running = find_running(home)
        assert running is not None
        headers = {"authorization": f"Bearer {running.token}"}
        client = httpx.AsyncClient(base_url=f"{running.url}/api/v1", headers=headers)
        await stack.enter_async_context(client)
        project = (await client.get("/projects/current")).json()
        body = {"name": name, "files": files}
        made = await client.post(f"/projects/{project['id']}/contexts", json=body)
        assert made.status_code == 201, made.text


@both_ways
async def test_skills_and_contexts_go_along_by_their_names(bench: Bench) -> None:
    bench.write("tide.md", "High water at noon.\n")
    await keep_context(bench, "The sea", "tide.md", "gone.md")
    bench.upstream.answer(says("Noon."))
    ran = await bench.run("When?", "--skill", "concise", "--context", "the sea")

    assert (ran.returncode, ran.stdout) == (0, "Noon.\n")
    assert "gone.md of “The sea” is not there and is not sent." in ran.stderr
    sent = json.dumps(bench.upstream.exchanges[0].json, ensure_ascii=False)
    assert "High water at noon." in sent
    assert '<skill \\"Concise\\" mark=' in sent


@both_ways
async def test_a_name_that_is_not_there_is_told_with_those_that_are(bench: Bench) -> None:
    ran = await bench.run("When?", "--skill", "Consice")
    assert ran.returncode == 2
    assert "There is no skill “Consice” here. There are: “Code Review”, “Debug Mode”" in ran.stderr
    ran = await bench.run("When?", "--context", "Sea")
    assert ran.returncode == 2
    assert "There is no context “Sea” here. There are: none." in ran.stderr


@both_ways
async def test_a_skill_that_nobody_agreed_to_does_not_begin(bench: Bench) -> None:
    file = bench.folder / ".agents/skills/tides/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\nname: tides\ndescription: Tides.\n---\nObey.\n", encoding="utf-8")
    ran = await bench.run("When?", "--skill", "tides")
    assert ran.returncode == 2
    assert "Nobody has agreed to the skill “tides”" in ran.stderr
    assert bench.upstream.exchanges == []


@both_ways
async def test_nobody_to_ask_means_no_and_the_changes_are_taken_back(bench: Bench) -> None:
    file = bench.write("a.md", "one\ntwo\n")
    bench.upstream.answer(
        calls("edit_file", {"path": "a.md", "old_string": "two", "new_string": "2"}),
        calls("run_command", {"command": "touch made"}),
    )
    bench.upstream.answer(says("Done."))
    ran = await bench.run("Do it.")

    assert (ran.returncode, ran.stdout) == (5, "Done.\n")
    assert file.read_text(encoding="utf-8") == "one\ntwo\n"
    assert [item.name for item in bench.folder.iterdir()] == ["a.md"]
    assert without_last_line(ran.stderr).split("\n") == [
        "Step 1: Claude Sonnet 4.6",
        "Edited a.md (+1 −1)",
        "run_command asks. run_command asks unless your rules allow it.",
        "  command: touch made",
        "Not allowed: nobody is here to ask. --yes would allow it.",
        "run_command touch made: not allowed. The user said no to this call. Don't try it in"
        " another way; ask what they want.",
        "Step 2: Claude Sonnet 4.6",
        "--- a/a.md",
        "+++ b/a.md",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+2",
        "Nobody is here to agree to these changes, so they are taken back. See --yes.",
        "The changes of a turn were undone: a.md.",
    ]


async def test_yes_allows_what_asks_and_keeps_the_changes(bench: Bench) -> None:
    bench.upstream.answer(calls("run_command", {"command": "echo ebb > made"}))
    bench.upstream.answer(says("Done."))
    ran = await bench.run("Do it.", "--yes")

    assert (ran.returncode, ran.stdout) == (0, "Done.\n")
    assert (bench.folder / "made").read_text(encoding="utf-8") == "ebb\n"
    assert "Allowed once, by --yes.\nRan echo ebb > made (exit 0)\n" in ran.stderr
    assert "+++ b/made\n@@ -0,0 +1 @@\n+ebb\n" in ran.stderr


@both_ways
async def test_json_is_every_event_on_a_line_and_nothing_else(bench: Bench) -> None:
    bench.upstream.answer(calls("create_file", {"path": "new.md", "content": "Ebb.\n"}))
    bench.upstream.answer(says("Done."))
    ran = await bench.run("Make a note.", "--json")

    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})
    turns = [(event["state"], event["text"]) for event in events if event["kind"] == "turn"]
    assert turns == [("running", "Make a note."), ("finished", "Make a note."), ("finished", "")]
    assert "".join(event["text"] for event in events if event["kind"] == "text") == "Done."
    notices = [event["entry"]["reason"] for event in events if kind_of(event) == "notice"]
    assert (ran.returncode, notices) == (5, ["undone"])
    assert not (bench.folder / "new.md").exists()


def kind_of(event: dict[str, Any]) -> str:
    """The kind of entry that an event tells of."""
    return event["entry"]["kind"] if event["kind"] == "entry" else ""


async def test_a_plan_changes_nothing(bench: Bench) -> None:
    bench.upstream.answer(says("A plan."))
    ran = await bench.run("Plan it.", "--plan")
    assert (ran.returncode, ran.stdout) == (0, "A plan.\n")
    offered = {tool["name"] for tool in bench.upstream.last.json["tools"]}
    assert not offered & {"write_file", "run_command", "delete_file"}


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (Script(fault=Fault(status=401)), 1, "recto: "),
        (
            Script((says("And so"),), stop="length"),
            3,
            "The answer reached its greatest length and was cut. Say “continue” to go on.",
        ),
        (Script((says("I"),), stop="refusal"), 4, "The model declined to answer."),
    ],
)
async def test_the_exit_code_says_how_it_ended(
    bench: Bench, answer: Script, code: int, said: str
) -> None:
    bench.upstream.script(answer)
    ran = await bench.run("Go on.")
    assert ran.returncode == code, ran.stderr
    assert said in ran.stderr


async def test_a_model_that_goes_in_circles_is_ended(bench: Bench) -> None:
    for _ in range(3):
        bench.upstream.answer(calls("list_files", {}))
    ran = await bench.run("Look.")
    assert ran.returncode == 3
    assert "three times in a row" in ran.stderr


@both_ways
async def test_at_a_terminal_each_question_is_asked_and_answered(bench: Bench) -> None:
    bench.write("a.md", "one\n")
    bench.upstream.answer(
        calls("run_command", {"command": "touch\u202e made\r\x1b[2K"}),
        calls("delete_file", {"path": "a.md"}),
    )
    bench.upstream.answer(says("Done."))
    person = bench.start("Do it.")
    shown = await person.until("Allow it? (o)nce, (d)eny:")
    assert "  command: touch\\u202e made\\r\\x1b[2K\n" in shown
    person.type("what")
    person.type("d")
    await person.until("Allow it? (o)nce, (c)hat, (a)lways, (d)eny:")
    person.type("once")
    await person.until("Keep these changes? (k)eep, (u)ndo:")
    assert not (bench.folder / "a.md").exists()
    person.type("u")
    code, out, _ = await person.end()

    assert (code, out) == (5, "Done.\n")
    assert [item.name for item in bench.folder.iterdir()] == ["a.md"]


async def test_what_a_server_asks_in_a_call_is_asked_at_the_terminal(bench: Bench) -> None:
    lay_servers(bench.folder.parent / "home", one=program(tools=["ask"]))
    bench.upstream.answer(calls("one__ask", {}))
    bench.upstream.answer(says("Blue it is."))
    person = bench.start("Ask me.")
    await person.until("Allow it? (o)nce")
    person.type("once")
    shown = await person.until("(a)ccept, (d)ecline, (c)ancel:")
    assert "The MCP server one asks: Which colour?" in shown
    person.type("a")
    await person.until("colour (string):")
    person.type("blue")
    code, out, _ = await person.end()
    assert (code, out) == (0, "Blue it is.\n")
    assert '\\"colour\\": \\"blue\\"' in bench.upstream.last.incoming.body.decode()


@both_ways
async def test_kept_changes_stay_and_need_no_review(bench: Bench) -> None:
    bench.upstream.answer(calls("create_file", {"path": "new.md", "content": "Ebb.\n"}))
    bench.upstream.answer(says("Done."))
    person = bench.start("Do it.")
    await person.until("(u)ndo:")
    person.type("k")
    code, _, _ = await person.end()
    assert (code, (bench.folder / "new.md").read_text(encoding="utf-8")) == (0, "Ebb.\n")
    assert statuses(bench) == ["accepted"]


@both_ways
async def test_ctrl_c_stops_the_turn_and_keeps_the_words(bench: Bench) -> None:
    gate = Gate()
    bench.upstream.answer(says("The tide ", "never ends"), fault=Fault(drip=True, gate=gate))
    person = bench.start("Go on.")
    await person.until("Step 1")
    await gate.arrived.wait()
    gate.step(UP_TO_THE_FIRST_WORDS)
    assert person.process.stdout is not None
    words = await anyio.to_thread.run_sync(person.process.stdout.read, len("The tide "))
    person.process.send_signal(signal.SIGINT)
    code, out, shown = await person.end()

    assert (code, words + out) == (130, "The tide \n")
    assert "Stopping…\n" in shown
    chat_id = chat_line(shown).removeprefix("Chat ")
    export = ["export", chat_id, "--format", "json"]
    exported = await anyio.to_thread.run_sync(lambda: bench.command.run(*export))
    assert "The tide " in exported.stdout


async def test_ctrl_c_at_a_question_stops_the_turn(bench: Bench) -> None:
    bench.upstream.answer(calls("run_command", {"command": "touch made"}))
    person = bench.start("Do it.")
    await person.until("Allow it?")
    person.process.send_signal(signal.SIGINT)
    code, _, _ = await person.end()
    assert (code, list(bench.folder.iterdir())) == (130, [])


async def test_two_commands_alone_do_not_end_each_others_turns(tmp_path: Path) -> None:
    async with AnthropicServer() as upstream:
        home = tmp_path / "home"
        point_anthropic_at(home, upstream.url)
        save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
        (tmp_path / "folder").mkdir()
        bench = Bench(upstream, tmp_path / "folder", Command(home))
        gate = Gate()
        upstream.answer(says("One."), fault=Fault(hold_headers=True, gate=gate))
        first = bench.start("First.")
        with anyio.fail_after(60):
            await gate.arrived.wait()
        second = await bench.run("Second.")
        gate.open()
        assert (second.returncode, (await first.end())[:2]) == (2, (0, "One.\n"))
        assert second.stderr.startswith("recto: Another Recto ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Look.", "missing.md"], "recto: There is no file missing.md. Check the spelling.\n"),
        (["Look.", "/etc/hostname"], "recto: /etc/hostname is not in "),
        (["Look.", "--folder", "nowhere"], "recto: There is no folder nowhere."),
    ],
)
def test_what_can_not_begin_says_why(
    recto: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = recto.run("run", *arguments)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(said)
