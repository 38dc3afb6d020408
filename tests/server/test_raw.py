"""Pictures and PDFs, honest and hostile: a browser may show them, and nothing in them ever runs."""

import struct
import zlib

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.server.media import media_type_of
from tests.served import Served
from tests.server.test_files import ask, project_address

pytestmark = pytest.mark.anyio

SCRIPTED = (
    b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>'
)
PAGE = b"<!doctype html><script>alert(1)</script>"


def png(width: int = 1, height: int = 1) -> bytes:
    """A grey picture."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    rows = (b"\x00" + b"\x80" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
HONEST = {
    "image/png": png(),
    "image/jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF",
    "image/gif": b"GIF89a\x01\x00\x01\x00",
    "image/webp": b"RIFF\x24\x00\x00\x00WEBPVP8 ",
    "image/avif": b"\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avifmiaf",
    "image/bmp": b"BM" + struct.pack("<IHHI", 58, 0, 0, 54) + struct.pack("<I", 40),
    "image/x-icon": b"\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00",
    "image/svg+xml": b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a --><!DOCTYPE svg>\n<svg/>',
    "application/pdf": PDF,
}


@pytest.fixture
def recto(emptied_recto: Served) -> Served:
    """Shared by all tests here: a picture is only read."""
    return emptied_recto


@pytest.mark.parametrize("media_type", HONEST)
async def test_a_picture_comes_with_the_type_of_its_bytes(recto: Served, media_type: str) -> None:
    (recto.folder / "misnamed.txt").write_bytes(HONEST[media_type])
    answer = await ask(recto, "raw", path="misnamed.txt")
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)
    assert answer.content == HONEST[media_type]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in answer.headers


async def policies(recto: Served, data: bytes) -> list[str]:
    (recto.folder / "file").write_bytes(data)
    answer = await ask(recto, "raw", path="file")
    assert answer.status_code == 200, answer.text
    return answer.headers.get_list("content-security-policy")


async def test_every_picture_has_one_policy_of_its_own_and_none_allows_a_script(
    recto: Served,
) -> None:
    found = {name: await policies(recto, data) for name, data in HONEST.items()}
    assert {len(policy) for policy in found.values()} == {1}
    assert all(policy.startswith("default-src 'none'; ") for (policy,) in found.values())
    assert not any("script-src" in policy or "allow-" in policy for (policy,) in found.values())
    ends = "; frame-ancestors 'none'; sandbox"
    assert all(policy.endswith(ends) for (policy,) in found.values())


async def test_no_browser_opens_a_pdf_in_a_viewer_of_its_own(recto: Served) -> None:
    """Such viewers run a PDF's scripts; the page draws it."""
    (recto.folder / "file").write_bytes(PDF)
    answer = await ask(recto, "raw", path="file")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''file"


async def test_a_drawing_with_scripts_is_a_picture_that_cannot_run_them(recto: Served) -> None:
    (policy,) = await policies(recto, SCRIPTED)
    assert policy == (
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline';"
        " img-src data:; font-src data:; frame-ancestors 'none'; sandbox"
    )


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(PAGE, id="a page"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"BMW drives\x00", id="text that begins like a bitmap"),
        pytest.param(b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", id="a film"),
        pytest.param(b"<html><svg></svg></html>", id="a page with a drawing in it"),
        pytest.param(b"<!--" + b"--><!--" * 20_000, id="comments without end"),
        pytest.param(b"<!DOCTYPE html><svg/>", id="a page that calls itself one"),
        pytest.param("<svg/>".encode("utf-16"), id="a drawing in letters we do not read"),
        pytest.param(PAGE + PDF, id="a page with a PDF behind it"),
        pytest.param(PAGE + png(), id="a page with a picture behind it"),
    ],
)
async def test_what_is_no_picture_is_refused_whatever_its_name(recto: Served, data: bytes) -> None:
    (recto.folder / "innocent.png").write_bytes(data)
    answer = await ask(recto, "raw", path="innocent.png")
    assert (answer.status_code, answer.headers["content-type"]) == (415, "application/problem+json")
    assert "whatever its name says" in answer.json()["detail"]


@pytest.mark.parametrize("front", [png(), PDF, HONEST["image/gif"], HONEST["image/jpeg"]])
async def test_a_polyglot_is_only_ever_the_picture_in_its_front(
    recto: Served, front: bytes
) -> None:
    (recto.folder / "both.html").write_bytes(front + PAGE)
    answer = await ask(recto, "raw", path="both.html")
    assert answer.headers["content-type"] == media_type_of(front)
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("missing.png", 404),
        ("../outside.png", 422),
        ("/etc/hostname", 422),
        ("link.png", 403),
        ("sub", 409),
        ("a\x00b.png", 422),
        ("big.png", 413),
    ],
)
async def test_a_picture_that_cannot_be_had_says_why(
    recto: Served, path: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.server.routes.files.raw.MAX_BYTES", 1_000_000)
    (recto.folder.parent / "outside.png").write_bytes(png())
    (recto.folder / "link.png").symlink_to(recto.folder.parent / "outside.png")
    (recto.folder / "big.png").write_bytes(png() + bytes(1_000_000))
    (recto.folder / "sub").mkdir()
    answer = await ask(recto, "raw", path=path)
    assert (answer.status_code, answer.headers["content-type"]) == (
        status,
        "application/problem+json",
    )
    assert answer.json()["detail"]


async def test_an_unchanged_picture_is_not_sent_again_and_keeps_its_policy(recto: Served) -> None:
    (recto.folder / "a.svg").write_bytes(SCRIPTED)
    async with recto.script() as script:
        address = f"{await project_address(script)}/raw"
        first = await script.get(address, params={"path": "a.svg"})
        known = {"if-none-match": first.headers["etag"]}
        again = await script.get(address, params={"path": "a.svg", "version": "2"}, headers=known)
        (recto.folder / "a.svg").write_bytes(SCRIPTED + b"\n")
        changed = await script.get(address, params={"path": "a.svg"}, headers=known)
    assert (again.status_code, again.content, changed.status_code) == (304, b"", 200)
    assert again.headers["content-security-policy"] == first.headers["content-security-policy"]
    assert first.headers["cache-control"] == "private, no-cache"


async def test_the_name_is_told_without_letting_it_write_headers(recto: Served) -> None:
    (recto.folder / 'a"; x=é.png').write_bytes(png())
    answer = await ask(recto, "raw", path='a"; x=é.png')
    told = answer.headers["content-disposition"]
    assert told == "inline; filename*=UTF-8''a%22%3B%20x%3D%C3%A9.png"


async def test_a_stranger_and_another_website_get_no_picture(recto: Served) -> None:
    (recto.folder / "a.png").write_bytes(png())
    async with recto.script() as script, recto.stranger() as stranger:
        address = f"{await project_address(script)}/raw?path=a.png"
        refused: list[httpx.Response] = [
            await stranger.get(address),
            await script.get(address, headers={"sec-fetch-site": "cross-site"}),
            await script.get(address, headers={"origin": "https://evil.test"}),
        ]
    assert [answer.status_code for answer in refused] == [401, 403, 403]


@given(st.binary(max_size=400))
def test_whatever_the_bytes_the_type_is_never_one_that_runs(data: bytes) -> None:
    assert media_type_of(data) in {None, *HONEST}
