"""The files of the page as a browser gets them: packed where it takes that, asked for once."""

import gzip
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from recto.server import BuiltPage
from recto.server.page import STATIC

SCRIPT = b"console.log('tides');" * 100
FORMS = {None: SCRIPT, "gzip": gzip.compress(SCRIPT), "br": b"brotli"}


@pytest.fixture
def page(tmp_path: Path) -> BuiltPage:
    (tmp_path / "index.html").write_bytes(b"<!doctype html>")
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "a.js").write_bytes(SCRIPT)
    (tmp_path / "assets" / "a.js.gz").write_bytes(FORMS["gzip"])
    (tmp_path / "assets" / "a.js.br").write_bytes(FORMS["br"])
    return BuiltPage(tmp_path)


def get(page: BuiltPage, path: str, **headers: str) -> Response | None:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return page.respond(Request({"type": "http", "method": "GET", "path": path, "headers": raw}))


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, br;q=0", "gzip"),
        ("GZIP ; q=0.5", "gzip"),
        ("br;q=0.0, gzip;q=0", None),
        ("identity", None),
        ("", None),
    ],
)
def test_a_file_comes_as_the_browser_takes_it(
    page: BuiltPage, accepted: str, encoding: str | None
) -> None:
    answer = get(page, "/assets/a.js", accept_encoding=accepted)

    assert answer is not None
    assert answer.headers.get("content-encoding") == encoding
    assert answer.headers["vary"] == "accept-encoding"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.body == FORMS[encoding]


def test_each_form_has_its_own_mark(page: BuiltPage) -> None:
    plain, packed = (get(page, "/assets/a.js", accept_encoding=one) for one in ("", "br"))
    assert plain is not None
    assert packed is not None
    marks = [plain.headers["etag"], packed.headers["etag"]]
    assert marks[0] != marks[1]

    again = get(page, "/assets/a.js", accept_encoding="br", if_none_match=marks[1])
    other = get(page, "/assets/a.js", accept_encoding="br", if_none_match=marks[0])

    assert again is not None
    assert other is not None
    assert (again.status_code, other.status_code) == (304, 200)


def test_packed_files_have_no_address_of_their_own(page: BuiltPage) -> None:
    assert get(page, "/assets/a.js.gz") is None
    assert get(page, "/assets/a.js.br", accept_encoding="br") is None


def test_what_is_not_packed_is_sent_as_it_is(page: BuiltPage) -> None:
    answer = get(page, "/", accept_encoding="br")

    assert answer is not None
    assert answer.body == b"<!doctype html>"
    assert "content-encoding" not in answer.headers


def test_all_text_of_the_built_page_is_packed() -> None:
    texts = [path for path in STATIC.rglob("*") if path.suffix in {".js", ".css", ".html"}]

    assert texts
    for path in texts:
        assert gzip.decompress(Path(f"{path}.gz").read_bytes()) == path.read_bytes()
        assert Path(f"{path}.br").stat().st_size < path.stat().st_size
