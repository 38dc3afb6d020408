"""What a sandboxed command can't see, can't reach and can't change."""

import socket
from pathlib import Path

import pytest

from recto.tools.effects import Effect
from tests.tools.shell.conftest import opened
from tests.tools.shell.place import Place, file, tree

pytestmark = pytest.mark.anyio


async def test_the_folder_stays_as_it_is(apart: Place) -> None:
    apart.write("a.txt", "one\n")
    before = tree(apart.root)

    ran = await apart.run("echo two > a.txt; cat a.txt; touch b; rm -rf .[a-z]* *")

    assert (ran.output, tree(apart.root)) == ("two\n", before)


async def test_removing_the_whole_folder_is_only_a_list_of_changes(apart: Place) -> None:
    apart.write("a.txt", "one\n")
    apart.write("deep/er/b.txt", "two\n")
    before = tree(apart.root)

    ran = await apart.run(f"rm -rf {apart.root}; rm -rf / 2>/dev/null; ls -A | wc -l")

    assert ran.output.endswith("0\n")
    assert [change.path for change in ran.changes] == [
        "deep/er/b.txt",
        "deep/er",
        "deep",
        "a.txt",
    ]
    assert tree(apart.root) == before


@pytest.mark.parametrize("target", ["/etc/planted", "/usr/bin/planted", "/planted", "../planted"])
async def test_nothing_outside_can_be_written(apart: Place, target: str) -> None:
    await apart.run(f"echo bad > {target}")

    assert not (apart.root / target).exists()


async def test_its_temporary_files_are_its_own(apart: Place, tmp_path: Path) -> None:
    name = f"planted-{tmp_path.name}"

    ran = await apart.run(f"echo a > /tmp/{name}; cat /tmp/{name}; echo $TMPDIR; ls -A /var/tmp")

    assert ran.output == "a\n/tmp\n"
    assert not (Path("/tmp") / name).exists()


async def test_the_home_is_empty_and_its_own(
    apart: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_ed25519").write_text("a secret", encoding="utf-8")
    (home / ".local" / "bin").mkdir(parents=True)
    (home / ".local" / "bin" / "tool").write_text("a program", encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))

    ran = await apart.run("find ~ -type f; cat ~/.ssh/id_ed25519; echo x > ~/made; cat ~/made")

    assert f"{home}/.local/bin/tool\n" in ran.output
    assert "a secret" not in ran.output
    assert ran.output.endswith("\nx\n")
    assert not (home / "made").exists()


async def test_a_home_that_is_the_folder_has_its_secrets_covered(
    apart: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart.write(".ssh/id", "a secret")
    apart.write(".netrc", "a secret")
    apart.write("notes.md", "notes\n")
    monkeypatch.setenv("HOME", str(apart.root))

    ran = await apart.run("cat ~/.ssh/id ~/.netrc 2>/dev/null; cat ~/notes.md")

    assert ran.output == "notes\n"


async def test_rectos_own_files_are_not_there(apart: Place, secret: Path) -> None:
    (secret / "keys.env").write_text("a secret", encoding="utf-8")

    ran = await apart.run(f"cat {secret}/keys.env; ls -A {secret} | wc -l")

    assert "a secret" not in ran.output
    assert ran.output.endswith("0\n")


async def test_other_programs_sockets_are_out_of_reach(apart: Place) -> None:
    assert (await apart.run("find /run /var/run/ -type s 2>/dev/null | wc -l")).output == "0\n"


async def test_passwords_of_the_machine_are_out_of_reach(apart: Place) -> None:
    ran = await apart.run("cat /etc/shadow /etc/gshadow 2>/dev/null; ls -A /root /home; true")

    assert "root:" not in ran.output.replace("/root:", "")


async def test_there_is_no_network_unless_it_is_allowed(apart: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ask = f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached || echo refused"

        closed = await apart.run(f"({ask}) 2>/dev/null; ls /sys/class/net >/dev/null")
        opened = await apart.run(ask, allow_network=True)

    assert (closed.output, opened.output) == ("refused\n", "reached\n")


async def test_hidden_files_can_be_neither_read_nor_changed(apart: Place) -> None:
    apart.write(".env", "KEY=secret\n")
    apart.write("deep/.env.local", "KEY=secret\n")
    apart.write("vault/a/b.txt", "secret\n")
    apart.write("deep/open.txt", "open\n")
    before = tree(apart.root)

    ran = await apart.run(
        "grep -r . . 2>/dev/null; cp -r deep copy 2>/dev/null; cat copy/.env.local vault/a/b.txt;"
        "rm -rf .env vault deep; echo mine > .env",
        hidden=[".env", "deep/.env.local", "vault", "vault/a/b.txt", "gone/before.txt"],
    )

    assert "secret" not in ran.output
    assert "deep/open.txt:open" in ran.output
    assert [
        change.path for change in ran.changes if change.path.startswith(("deep", "v", "."))
    ] == ["deep/open.txt"]
    assert ".env, deep/.env.local, vault" in ran.found.lost
    assert tree(apart.root) == before


async def test_rectos_folder_in_the_project_is_read_only(apart: Place) -> None:
    apart.write(".recto/instructions.md", "be kind\n")

    ran = await apart.run("cat .recto/*; echo bad > .recto/instructions.md; rm -rf .recto; true")

    assert ran.output.startswith("be kind\n")
    assert ran.changes == ()
    assert (apart.root / ".recto" / "instructions.md").read_text("utf-8") == "be kind\n"


async def test_a_new_folder_of_rectos_name_is_not_taken_over(apart: Place) -> None:
    ran = await apart.run("mkdir -p sub/.recto .RECTO; echo x > sub/.recto/a; echo x > ok")

    assert [change.path for change in ran.changes] == ["ok", "sub"]
    assert ran.found.lost == (
        "Not taken over (protected, too large or no ordinary file): .RECTO, sub/.recto."
    )


async def test_rights_are_gone(apart: Place) -> None:
    ran = await apart.run("grep -E 'CapEff|NoNewPrivs' /proc/self/status; mount -t tmpfs x /mnt")

    assert ran.output.startswith("CapEff:\t0000000000000000\nNoNewPrivs:\t1\n")
    assert ran.code != 0


async def test_only_what_is_its_own_is_mounted_for_writing(apart: Place) -> None:
    ran = await apart.run("grep -v ' ro[, ]' /proc/self/mounts")

    places = {line.split()[1] for line in ran.output.splitlines()}
    own = {str(apart.root), "/tmp", "/home", "/root", "/run", "/mnt", "/media", "/var/tmp"}
    own.add(str(Path.home()))
    assert {place for place in places if not place.startswith(("/dev", *own))} <= {
        "/proc",
        "/etc/ssl/private",
    }
    assert {"/", "/sys", "/sys/fs/cgroup"} & places == set()


async def test_kernel_settings_are_read_only(apart: Place) -> None:
    command = "find /proc -maxdepth 3 -not -path '/proc/[0-9s]*' -writable; test ! -w /proc/sys"
    ran = await apart.run(f"{command} && find /proc/sys -writable | head")

    assert (ran.code, ran.output) == (0, "")


async def test_being_cancelled_leaves_nothing(apart: Place) -> None:
    apart.write("a.txt", "one\n")
    before = tree(apart.root)

    await apart.run_until("ready", "echo two > a.txt; echo ready; sleep 600")

    assert (tree(apart.root), apart.interrupted) == (before, [])


@pytest.mark.parametrize("name", ["with space", "comma,colon:", "back\\slash", "quo'te\"s", "–ü"])
async def test_any_folder_name_will_do(root: Path, secret: Path, name: str) -> None:
    odd = root / name
    odd.mkdir()
    async with opened(odd, secret, "sandboxed") as place:
        ran = await place.run("echo x > made; pwd")

    assert (ran.output, ran.changes) == (f"{odd}\n", (Effect("made", None, file("x\n")),))
