"""Debian's Firefox, driven by the protocol that it brings: WebDriver BiDi over one socket.

Playwright drives a Firefox of its own making alone; this is the one that people have.
"""

import json
import re
import shutil
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream
from websockets.asyncio.client import ClientConnection, connect

NAMES = ("firefox-esr", "firefox")
# Nothing leaves this computer: what is not on it is asked of a proxy that nobody runs.
PREFERENCES: dict[str, object] = {
    "app.update.disabledForTesting": True,
    "browser.aboutConfig.showWarning": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.proxy.allow_hijacking_localhost": False,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.type": 1,
    "toolkit.telemetry.enabled": False,
    "ui.prefersReducedMotion": 1,
}
# The letters that stand for keys in the protocol.
KEYS = {
    "Alt": "\ue00a",
    "ArrowDown": "\ue015",
    "Control": "\ue009",
    "End": "\ue010",
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Shift": "\ue008",
    "Tab": "\ue004",
}
# Looks with every picture; what it finds must have a place, and no other thing above it.
FIND = """(selector, words) => new Promise((done) => {
  const look = () => {
    for (const one of document.querySelectorAll(selector)) {
      if (!(one.getAttribute("aria-label") ?? one.textContent).includes(words)) continue;
      const { x, y, width, height } = one.getBoundingClientRect();
      const at = [Math.round(x + width / 2), Math.round(y + height / 2)];
      const top = width && height && document.elementFromPoint(...at);
      if (top && (one.contains(top) || top.contains(one))) return done(at);
    }
    requestAnimationFrame(look);
  };
  look();
})"""


def find_firefox() -> str | None:
    """The system's Firefox."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class FirefoxTab:
    """A tab of Firefox: it is clicked in, typed into and looked at."""

    def __init__(self, socket: ClientConnection) -> None:
        self.errors: list[str] = []
        self._socket = socket
        self._context = ""
        self._number = 0

    async def begin(self) -> None:
        """Take the tab that is open."""
        await self._send("session.new", {"capabilities": {}})
        await self._send("session.subscribe", {"events": ["log.entryAdded"]})
        tree = await self._send("browsingContext.getTree", {})
        self._context = tree["contexts"][0]["context"]
        viewport = {"width": 1440, "height": 900}
        await self._in_tab("browsingContext.setViewport", viewport=viewport)

    async def open(self, address: str) -> None:
        """Go to an address, and wait until the page is there."""
        await self._in_tab("browsingContext.navigate", url=address, wait="complete")

    async def reload(self) -> None:
        await self._in_tab("browsingContext.reload", wait="complete")

    async def until(self, condition: str) -> None:
        """Wait until an expression of the page holds."""
        look = f"if ({condition}) done([]); else requestAnimationFrame(look);"
        await self._call(
            f"() => new Promise((done) => {{ const look = () => {{ {look} }}; look(); }})"
        )

    async def click(self, selector: str, words: str = "", *, times: int = 1) -> None:
        """Click on what shows some words, once it is in sight."""
        x, y = await self._call(FIND, selector, words)
        once = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        moves = [{"type": "pointerMove", "x": x, "y": y}, *(once * times)]
        await self._perform({"type": "pointer", "id": "mouse", "actions": moves})

    async def press(self, *chords: str) -> None:
        """Press keys, such as `Control+End`."""
        for chord in chords:
            keys = [KEYS.get(key, key) for key in chord.split("+")]
            down = [{"type": "keyDown", "value": key} for key in keys]
            up = [{"type": "keyUp", "value": key} for key in reversed(keys)]
            await self._perform({"type": "key", "id": "keys", "actions": [*down, *up]})

    async def type(self, text: str) -> None:
        for letter in text:
            await self.press(letter)

    async def _perform(self, source: dict[str, object]) -> None:
        await self._in_tab("input.performActions", actions=[source])

    async def _call(self, function: str, *words: str) -> list[int]:
        answer = await self._send(
            "script.callFunction",
            {
                "functionDeclaration": function,
                "arguments": [{"type": "string", "value": word} for word in words],
                "target": {"context": self._context, "sandbox": "tests"},
                "awaitPromise": True,
            },
        )
        if answer["type"] == "exception":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return [one["value"] for one in answer["result"]["value"]]

    async def _in_tab(self, method: str, **parameters: object) -> None:
        await self._send(method, {"context": self._context, **parameters})

    async def _send(self, method: str, parameters: dict[str, object]) -> dict[str, Any]:
        """Send a command; what Firefox tells meanwhile is noted."""
        self._number += 1
        await self._socket.send(
            json.dumps({"id": self._number, "method": method, "params": parameters})
        )
        with anyio.fail_after(60):
            while True:
                told = cast("dict[str, Any]", json.loads(await self._socket.recv()))
                if told["type"] == "event":
                    self._note(told["params"])
                elif told["type"] == "error":
                    raise AssertionError(f"{method}: {told['message']}")
                else:
                    return told["result"]

    def _note(self, entry: dict[str, Any]) -> None:
        if entry["level"] == "error" and entry["type"] == "javascript":
            self.errors.append(entry["text"])


@asynccontextmanager
async def firefox_tab(program: str, profile: Path) -> AsyncGenerator[FirefoxTab]:
    """A Firefox that knows nothing yet, for the length of the block."""
    lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in PREFERENCES.items()]
    await anyio.Path(profile).mkdir()
    await anyio.Path(profile, "user.js").write_text("\n".join(lines), encoding="utf-8")
    command = [program, "--headless", "--no-remote", "--profile", str(profile)]
    async with await anyio.open_process(
        [*command, "--remote-debugging-port", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            address = await listening(process)
            async with connect(f"{address}/session", max_size=None) as socket:
                tab = FirefoxTab(socket)
                await tab.begin()
                yield tab
        finally:
            process.kill()


async def listening(process: Process) -> str:
    """The address that Firefox tells when it listens."""
    assert process.stderr is not None
    told = ""
    with anyio.fail_after(60):
        async for piece in TextReceiveStream(process.stderr):
            told += piece
            if found := re.search(r"BiDi listening on (ws://\S+:\d+)\s", told):
                return found[1]
    raise AssertionError(f"Firefox ended: {told}")
