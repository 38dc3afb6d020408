"""Which cells are stale: by the names that they use of others, or by their place."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.notebooks.live.staleness import ran_cell, stale_cells


def stale(*sources: str, order: str, language: str = "python") -> dict[str, str]:
    """What is stale of cells a, b, c, … that ran in an order."""
    names = "abcdef"[: len(sources)]
    code = dict(zip(names, sources, strict=True))
    ran = {name: ran_cell(at, code[name], language) for at, name in enumerate(order)}
    return dict(stale_cells(list(names), ran))


def test_a_name_that_was_defined_anew_makes_those_stale_that_use_it() -> None:
    assert stale("x = 1", "print(x)", order="aba") == {"b": "names"}
    assert stale("x = 1", "print(x)", order="ab") == {}
    assert stale("import numpy as np", "np.ones(3)", order="aba") == {"b": "names"}
    assert stale("def f(): pass", "class A(f): pass", "A()", order="abca") == {"b": "names"}


@pytest.mark.parametrize(
    "own",
    [
        "for n in range(3):\n    print(n)",
        "n = 1\nprint(n)",
        "[n for n in range(3)]",
        "def f(n):\n    return n",
        "with open('x') as n:\n    n.read()",
        "import n\nn.f()",
        "if y:\n    n = 1\nelse:\n    n = 2\nprint(n)",
    ],
)
def test_what_a_cell_defines_itself_before_it_uses_it_is_its_own(own: str) -> None:
    assert stale(own, "n = 7", order="ab") == {}


@pytest.mark.parametrize(
    "foreign",
    [
        "n = n + 1",
        "n += 1",
        "print(n)\nn = 1",
        "if y:\n    n = 1\nprint(n)",
        "def f():\n    return n",
        "while y:\n    n = 1\nprint(n)",
        "def f():\n    n = 1\nprint(n)",
        "[n for n in y]\nprint(n)",
    ],
)
def test_what_it_may_have_from_another_is_not(foreign: str) -> None:
    assert stale(foreign, "n = 7", order="ab") == {"a": "names"}


@pytest.mark.parametrize(
    "inner",
    [
        "[n for n in y]",
        "{n: 1 for n in y}",
        "def f():\n    n = 1",
        "class A:\n    n = 1",
        "f = lambda n: (m := n)",
    ],
)
def test_names_of_functions_classes_and_comprehensions_define_nothing_for_others(
    inner: str,
) -> None:
    assert stale("print(n)", inner, order="ab") == {}


@pytest.mark.parametrize(
    "outer",
    [
        "if (n := 1):\n    pass",
        "any((n := m) for m in y)",
        "match y:\n    case [n, *m]:\n        pass",
        "match y:\n    case {'a': 1, **n}:\n        pass",
        "try:\n    n = 1\nfinally:\n    pass",
        "del n",
    ],
)
def test_every_way_to_define_a_name_counts(outer: str) -> None:
    assert stale("print(n)", outer, order="ab") == {"a": "names"}


RUNS = st.lists(
    st.sampled_from(["x = 1", "print(x)", "y = x", "print(y)", "x = y", "x = ("]), max_size=8
)


@given(sources=RUNS, shuffled=st.randoms(use_true_random=False))
def test_a_cell_is_stale_by_any_one_run_after_its_own(
    sources: list[str], shuffled: random.Random
) -> None:
    orders = shuffled.sample(range(len(sources)), len(sources))
    ran = {
        str(at): ran_cell(order, source, "python")
        for at, (order, source) in enumerate(zip(orders, sources, strict=True))
    }
    found: dict[str, str] = {}
    for at, (name, mine) in enumerate(ran.items()):
        later = {int(other): cell for other, cell in ran.items() if cell.order > mine.order}
        if any(cell.is_known and mine.used & cell.defined for cell in later.values()):
            found[name] = "names"
        elif any(above < at and not (c.is_known and mine.is_known) for above, c in later.items()):
            found[name] = "place"
    assert stale_cells(list(ran), ran) == found


def test_where_nobody_knows_the_names_the_place_counts() -> None:
    assert stale("x <- 1", "print(x)", order="aba", language="R") == {"b": "place"}
    assert stale("x <- 1", "print(x)", order="ab", language="R") == {}
    assert stale("x = (", "print(1)", order="aba") == {"b": "place"}


def test_code_that_is_too_deep_to_be_read_still_runs() -> None:
    source = "if a:\n pass\n" + "elif b:\n pass\n" * 2000
    assert not ran_cell(1, source, "python").is_known
