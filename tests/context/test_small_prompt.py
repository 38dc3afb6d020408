"""A small model without tools gets a short prompt, and the folder's own words."""

from datetime import date

from recto.context import SystemParts, small_prompt, system_prompt


def test_a_small_model_is_told_little_and_what_the_folder_says() -> None:
    parts = SystemParts(today=date(2026, 11, 15), instructions="Answer in rhyme.")
    prompt = small_prompt(parts)
    assert len(prompt) < 700 < len(system_prompt(parts))
    assert "Answer in rhyme." in prompt
