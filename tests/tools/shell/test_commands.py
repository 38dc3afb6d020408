"""Commands at both levels: what they print, how they end, what they may use."""

import pytest

from recto.tools.shell import CommandRefused
from recto.tools.shell.command_result import CommandChanges
from tests.tools.shell.place import Place

pytestmark = pytest.mark.anyio


async def test_a_command_runs_in_the_folder_and_its_output_comes_as_one(place: Place) -> None:
    ran = await place.run("pwd; echo oops >&2; exit 3")

    assert (ran.code, ran.output) == (3, f"{place.root}\noops\n")
    assert (ran.timed_out, ran.stopped, ran.found) == (False, "", CommandChanges())


async def test_output_is_told_while_the_command_runs(place: Place) -> None:
    await place.run_until("first", "echo first; sleep 600")


async def test_a_command_without_output_has_none(place: Place) -> None:
    ran = await place.run("true")

    assert (ran.code, ran.output, place.told) == (0, "", [])


async def test_a_command_that_waits_for_input_sees_its_end(place: Place) -> None:
    assert (await place.run("read -r line; echo $?; cat; echo end")).output == "1\nend\n"


async def test_a_command_has_no_terminal(place: Place) -> None:
    assert (await place.run("tty; : 2>/dev/null </dev/tty || echo none")).output == (
        "not a tty\nnone\n"
    )


async def test_a_command_that_is_killed_says_so_by_its_code(place: Place) -> None:
    assert (await place.run("kill -9 $$")).code == 137


async def test_bash_is_what_commands_are_written_in(place: Place) -> None:
    assert (await place.run("a=(1 2); echo ${a[1]} <(true) | cut -c1")).output == "2\n"


async def test_bytes_that_are_no_text_are_replaced(place: Place) -> None:
    ran = await place.run(r"printf 'a\377b\303'; sleep 0.05; printf '\251 \342\202'")

    assert ran.output == "a\ufffdbé \ufffd"
    assert "".join(place.told) == ran.output


async def test_a_long_output_keeps_head_and_tail(place: Place) -> None:
    ran = await place.run("echo begin; seq 1 200000; echo end")

    assert ran.output.startswith("begin\n1\n2\n")
    assert ran.output.endswith("\n200000\nend\n")
    assert "characters left out" in ran.output
    assert len(ran.output) < 31_000
    assert ran.full == "".join(["begin\n", *(f"{n}\n" for n in range(1, 200_001)), "end\n"])
    assert sum(map(len, place.told)) < 1_200_000


async def test_output_without_end_is_bounded_and_the_command_ended(place: Place) -> None:
    ran = await place.run("yes", timeout_s=1)

    assert (ran.code, ran.timed_out, ran.stopped) == (None, True, "It took over 1 s.")
    assert len(ran.full) < 64_000_100


async def test_no_key_is_in_the_environment(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("SOME_TOKEN", "sk-secret")

    ran = await place.run("env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep ^SOME_T")

    if ran.level == "sandboxed":
        assert "sk-secret" not in ran.output
    names = {line.partition("=")[0] for line in ran.output.splitlines()}
    assert not names & {"ANTHROPIC_API_KEY"}


async def test_a_command_leaves_no_core_file(place: Place) -> None:
    assert (await place.run("ulimit -c; ulimit -Hc")).output == "0\n0\n"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo a\0b", "it has a zero byte"),
        ("echo \ud800", "it is not valid Unicode"),
        ("x" * 100_001, "it is longer than 100,000 bytes"),
    ],
)
async def test_what_no_program_can_be_given_is_refused(
    place: Place, command: str, why: str
) -> None:
    with pytest.raises(CommandRefused, match=why):
        await place.run(command)


async def test_a_time_out_keeps_what_was_done_until_then(place: Place) -> None:
    command = "echo text > new.txt; echo done; sleep 600"
    ran = await place.run(command, timeout_s=1)
    if not ran.output:  # a busy machine ended it before it began
        ran = await place.run(command, timeout_s=60)

    assert (ran.output, ran.timed_out) == ("done\n", True)
    assert [change.path for change in ran.changes] == ["new.txt"]


async def test_the_longest_time_is_half_an_hour(place: Place) -> None:
    assert (await place.run("true", timeout_s=1e9)).code == 0
