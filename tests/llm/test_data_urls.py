"""Addresses that hold the data itself."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.data_urls import read_data_url, write_data_url


@given(st.sampled_from(["image/png", "text/plain;charset=utf-8", ""]), st.binary())
def test_reading_undoes_writing(media_type: str, data: bytes) -> None:
    assert read_data_url(write_data_url(media_type, data)) == (media_type, data)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("data:image/png;base64", "A data URL must look like data:image/png;base64,…"),
        ("data:image/png,abc", "A data URL must look like data:image/png;base64,…"),
        ("data:;base64,?", "A data URL holds broken base64: Only base64 data is allowed."),
    ],
)
def test_another_address_is_refused_with_words(url: str, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        read_data_url(url)
