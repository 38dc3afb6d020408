"""`.editorconfig` says how texts are indented, whatever somebody has written into it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.workspace import Workspace
from recto.workspace.editorconfig import wanted_indentation

pytestmark = pytest.mark.anyio

FOUR, TAB = " " * 4, "\t"


def told(text: str, path: str) -> str | None:
    return wanted_indentation(path, [(".editorconfig", text)])


@pytest.mark.parametrize(
    ("form", "path", "is_meant"),
    [
        ("*", "a/b.py", True),
        ("*.py", "a/b.py", True),
        ("*.py", "a/b.pyi", False),
        ("*.{py,pyi}", "a/b.pyi", True),
        ("{Makefile,*.mk}", "a/Makefile", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**.py", "src/deep/a.py", True),
        ("src/**", "src/deep/a.py", True),
        ("/top.py", "top.py", True),
        ("/top.py", "a/top.py", False),
        ("file{1..3}.c", "file2.c", True),
        ("file{1..3}.c", "file4.c", False),
        ("[ab].c", "b.c", True),
        ("!a.c", "b.c", False),
        ("!a.c", "!a.c", True),
    ],
)
def test_a_section_is_about_the_files_that_fit_its_form(
    form: str, path: str, is_meant: bool
) -> None:
    text = f"[{form}]\nindent_style = space\nindent_size = 4\n"
    assert told(text, path) == (FOUR if is_meant else None)


@pytest.mark.parametrize(
    ("said", "step"),
    [
        ("indent_style = tab", TAB),
        ("Indent_Style = TAB\nindent_size = 4", TAB),
        ("indent_style = space\nindent_size = 4", FOUR),
        ("indent_style = space\nindent_size = tab\ntab_width = 4", FOUR),
        ("indent_style = space\ntab_width = 4", FOUR),
        ("indent_style = space", None),
        ("indent_size = 4", None),
        ("indent_style = unset\nindent_size = 4", None),
        ("indent_style = space\nindent_size = 0", None),
        ("indent_style = space\nindent_size = 99", None),
        ("indent_style = space\nindent_size = ٤", None),
        ("# indent_style = tab", None),
    ],
)
def test_the_step_is_what_is_said_in_the_end(said: str, step: str | None) -> None:
    assert told(f"[*]\n{said}\n", "a.py") == step


def test_later_sections_and_nearer_files_count_more_up_to_the_root() -> None:
    top = "root = true\n[*]\nindent_style = tab\n[*.py]\nindent_style = space\nindent_size = 4\n"
    near = "[*.md]\nindent_style = space\nindent_size = 2\n"
    both = [("src/.editorconfig", near), (".editorconfig", top)]
    assert wanted_indentation("src/a.py", both) == FOUR
    assert wanted_indentation("src/a.md", both) == "  "
    assert wanted_indentation("src/a.c", both) == TAB
    alone = [("src/.editorconfig", f"# [Ours]\nroot = true\n{near}"), (".editorconfig", top)]
    assert wanted_indentation("src/a.c", alone) is None


@given(st.text(max_size=400), st.text(st.characters(exclude_characters="\0"), min_size=1))
def test_no_text_breaks_it(text: str, path: str) -> None:
    assert told(text, path) in (None, TAB, *(" " * width for width in range(1, 17)))


def test_forms_that_explode_are_not_followed() -> None:
    forms = ["{a,b}" * 40, "*a" * 140 + "b", "{1..999}" * 9, "[" * 200]
    text = "".join(f"[{form}]\nindent_style = tab\n" for form in forms)
    assert told(text, "a" * 2000) is None
    many = "".join(f"[{number}{{1..60}}.py]\n" for number in range(100))
    assert told(f"[*]\nindent_style = tab\n{many}", "a.py") is None


async def test_a_workspace_reads_the_files_on_the_way_to_a_path(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / ".editorconfig").write_text("[*]\nindent_style = tab\n", encoding="utf-8")
    (tmp_path / "src" / ".editorconfig").write_bytes(b"\0\xff")
    async with await Workspace.open(tmp_path) as workspace:
        assert await workspace.indentation("src/a.py") == TAB
