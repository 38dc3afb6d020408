"""A page that shows Markdown and nothing else, built from the page's sources, under its policy."""

import subprocess
from pathlib import Path

from playwright.async_api import BrowserContext, Route

from recto.server.gate import SECURITY_HEADERS
from scripts.page import node_files

ROOT = Path(__file__).resolve().parent.parent.parent
ORIGIN = "http://recto.example"
INDEX = '<!doctype html><script type="module" src="/main.js"></script><body></body>'
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


def build(folder: Path, script: str) -> Path:
    """Bundle a script as a page, the page's lazy chunks too, and return where it lies."""
    (folder / "index.html").write_text(INDEX, encoding="utf-8")
    (folder / "main.js").write_text(script, encoding="utf-8")
    return bundle(folder, folder / "built")


def bundle(source: Path, target: Path) -> Path:
    """Run the page's own bundler on a folder with an index.html."""
    vite = ROOT / "web" / "node_modules" / "vite" / "bin" / "vite.js"
    command = [node_files()[0], vite, "build", source, "--outDir", target, "--logLevel", "error"]
    subprocess.run([*command, "--emptyOutDir"], check=True, cwd=ROOT / "web")
    return target


async def serve(context: BrowserContext, built: Path, *, guarded: bool = True) -> None:
    """Answer for the page's address from its folder, with the headers of Recto's own pages."""
    headers = {name.decode(): value.decode() for name, value in SECURITY_HEADERS} if guarded else {}

    async def answer(route: Route) -> None:
        name = route.request.url.removeprefix(ORIGIN).lstrip("/") or "index.html"
        path = built / name
        if path.suffix not in TYPES or not path.is_file():
            await route.fulfill(status=404, headers=headers)
            return
        await route.fulfill(path=path, headers={**headers, "content-type": TYPES[path.suffix]})

    await context.route(f"{ORIGIN}/**", answer)
