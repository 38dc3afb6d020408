"""The page about tools says what the tools say of themselves."""

from pathlib import Path

from scripts.tool_docs import page

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"


def test_the_page_is_up_to_date() -> None:
    """Mended by `python scripts/tool_docs.py > docs/tools.md`."""
    assert PAGE.read_text(encoding="utf-8") == page()
