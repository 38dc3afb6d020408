"""The guard against the real network, which every test runs under."""

import asyncio
import socket
import threading
import urllib.request
from collections.abc import Callable

import pytest

from tests import network_guard
from tests.network_guard import RealNetwork

ELSEWHERE = "192.0.2.1"


def connect() -> None:
    with socket.socket() as line:
        line.connect((ELSEWHERE, 443))


def connect_six() -> None:
    with socket.socket(socket.AF_INET6) as line:
        line.connect(("2001:db8::1", 443, 0, 0))


def send() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.sendto(b"x", (ELSEWHERE, 53))


def look_up() -> None:
    socket.getaddrinfo("example.test", 443)


def fetch() -> None:
    urllib.request.urlopen(f"http://{ELSEWHERE}/")


def open_connection() -> None:
    async def ask() -> None:
        await asyncio.open_connection(ELSEWHERE, 80)

    asyncio.run(ask())


@pytest.mark.parametrize("way", [connect, connect_six, send, look_up, fetch, open_connection])
def test_no_way_leads_to_another_computer(way: Callable[[], None]) -> None:
    with pytest.raises(OSError, match="tests reach no other computer"):
        way()
    assert len(network_guard.attempts) == 1
    # Else this very test would fail for what it tried.
    network_guard.attempts.clear()


def test_what_a_thread_tried_and_swallowed_is_noted_all_the_same() -> None:
    def swallow() -> None:
        with pytest.raises(RealNetwork):
            connect()

    thread = threading.Thread(target=swallow)
    thread.start()
    thread.join()
    assert network_guard.attempts == [
        "socket.connect ('192.0.2.1', 443): tests reach no other computer"
    ]
    network_guard.attempts.clear()


def test_this_computer_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("localhost", port)) as line:
            assert line.getpeername()[1] == port
    assert network_guard.attempts == []
