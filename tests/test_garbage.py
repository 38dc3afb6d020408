"""A server looks for garbage, but not in what was loaded before it answered."""

import gc
from collections.abc import Generator

import pytest

from recto.app.garbage import settle_garbage


@pytest.fixture(autouse=True)
def as_before() -> Generator[None]:
    """Leave the search as the tests have it."""
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)
    gc.enable()


def test_what_was_loaded_is_not_searched_and_what_comes_later_is() -> None:
    gc.disable()
    loaded: list[object] = []
    settle_garbage()
    later: list[object] = []

    assert gc.isenabled()
    searched = {id(one) for one in gc.get_objects()}
    assert id(loaded) not in searched
    assert id(later) in searched
