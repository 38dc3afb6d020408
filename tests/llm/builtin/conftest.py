"""One model for the tests of a file: each worker takes seconds to load it."""

from collections.abc import AsyncGenerator

import pytest

from recto.llm.builtin import BuiltinModel


@pytest.fixture(scope="module")
async def model() -> AsyncGenerator[BuiltinModel]:
    model = BuiltinModel()
    yield model
    await model.close()
