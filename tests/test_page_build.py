"""When the page is built anew."""

from pathlib import Path

import pytest

from scripts import page


def test_the_page_is_built_anew_for_its_sources_and_not_for_its_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "WEB", tmp_path)
    monkeypatch.setattr(page, "STAMP", tmp_path / "node_modules" / ".fingerprint")
    page.STAMP.parent.mkdir()
    source, test = tmp_path / "main.ts", tmp_path / "main.test.ts"
    source.write_text("start();", encoding="utf-8")
    test.write_text("expect(1).toBe(1);", encoding="utf-8")
    checked = page.fingerprint()
    page.STAMP.write_text(page.fingerprint(tests=False), encoding="utf-8")
    assert page.is_current()
    test.write_text("expect(2).toBe(2);", encoding="utf-8")
    assert page.is_current()
    assert page.fingerprint() != checked
    source.write_text("start(1);", encoding="utf-8")
    assert not page.is_current()
