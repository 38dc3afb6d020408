"""The files of the docs, as operators take them over: nginx in front, and the systemd unit."""

import shutil
import ssl
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import anyio.to_thread
import httpx
import pytest

from recto.server.listen import bind
from tests.cli.recto import RECTO
from tests.fakes.providers import AnthropicServer, Fault, Gate, says
from tests.gateway.served import served_gateway
from tests.gateway.test_whole_gateway import ASKED, key_of, lay_models
from tests.llm.certificates import write_certificate

ROOT = Path(__file__).parent.parent.parent
NAME = "models.example.org"
LIVE = f"/etc/letsencrypt/live/{NAME}"
AROUND = """\
daemon off;
pid {folder}/nginx.pid;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{server}
}}
"""


def documented(language: str) -> str:
    docs = (ROOT / "docs" / "gateway-operation.md").read_text(encoding="utf-8")
    return docs.partition(f"```{language}\n")[2].partition("```")[0]


@contextmanager
def running_nginx(folder: Path, server: str) -> Generator[None]:
    """Nginx with a server of the docs, from when it takes connections."""
    file = folder / "nginx.conf"
    file.write_text(AROUND.format(folder=folder, server=server), encoding="utf-8")
    command = ["nginx", "-p", str(folder), "-c", str(file), "-g", "error_log stderr notice;"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        said: list[str] = []
        while not said or "start worker process " not in said[-1]:
            said.append(process.stderr.readline())
            assert said[-1], "".join(said)
        yield
    finally:
        process.terminate()
        process.communicate(timeout=60)


@asynccontextmanager
async def in_thread(block: AbstractContextManager[None]) -> AsyncGenerator[None]:
    """A block whose beginning and end take a while, without stopping everything else."""
    await anyio.to_thread.run_sync(block.__enter__)
    try:
        yield
    finally:
        await anyio.to_thread.run_sync(block.__exit__, None, None, None)


@pytest.mark.anyio
@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
async def test_words_come_through_nginx_as_they_are_said(tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path, NAME)
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
    home = tmp_path / "home"
    async with AnthropicServer() as upstream, AsyncExitStack() as running:
        await lay_models(home, upstream)
        async with served_gateway(home) as gateway:
            key = await key_of(gateway, await gateway.member(await gateway.admin(), "ann"))
            gate = Gate()
            upstream.answer(says("At ", "noon."), fault=Fault(hold_at=400, gate=gate))
            server = documented("nginx").replace("listen 443", f"listen 127.0.0.1:{port}")
            server = server.replace("127.0.0.1:7458", gateway.url.removeprefix("http://"))
            server = server.replace(f"{LIVE}/fullchain.pem", str(certificate))
            server = server.replace(f"{LIVE}/privkey.pem", str(certificate))
            # Started in a thread: it says when it is ready.
            await running.enter_async_context(in_thread(running_nginx(tmp_path, server)))
            trusted = ssl.create_default_context(cafile=certificate)
            async with httpx.AsyncClient(verify=trusted, timeout=60) as client:
                asked = client.build_request(
                    "POST",
                    f"https://127.0.0.1:{port}/v1/messages",
                    headers={"x-api-key": key, "host": NAME},
                    json={**ASKED, "stream": True},
                    extensions={"sni_hostname": NAME},
                )
                answer = await client.send(asked, stream=True)
                assert answer.status_code == 200
                pieces = answer.aiter_bytes()
                # The provider keeps the rest back until this has come.
                first = await anext(pieces)
                gate.open()
                rest = b"".join([piece async for piece in pieces])
                await answer.aclose()
    assert b"message_start" in first
    assert b"message_stop" in rest


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "recto-gateway.service"
    text = documented("ini").replace("/opt/recto/bin/recto", str(RECTO))
    unit.write_text(text, encoding="utf-8")
    found = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
