"""What a model is told in a thread: the passage as material, and how a change is offered."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from recto.context import SystemParts, ThreadFacts, system_prompt, thread_hashes, thread_prompt

PARTS = SystemParts(today=date(2026, 11, 16), workspace="/home/ada/thesis")
WITH_TOOLS = SystemParts(
    today=date(2026, 11, 16),
    workspace="/home/ada/thesis",
    tools=("read_file", "propose_edit"),
    instructions="Write in British English.",
)
FACTS = ThreadFacts("a.md", "Before it.\n", "The passage.", "\nAfter it.")


def test_it_is_the_prompt_of_a_chat_with_a_section_before_the_folders_own_words() -> None:
    prompt = thread_prompt(WITH_TOOLS, FACTS, is_small=False)
    start, end = prompt.index("# This thread"), prompt.index("# The folder's instructions")

    assert prompt[:start] + prompt[end:] == system_prompt(WITH_TOOLS)
    section = prompt[start:end]
    assert 'a passage of "a.md"' in section
    assert "offer each edit with propose_edit" in section
    assert ">\nBefore it.\n\n</before mark=" in section
    assert ">\nThe passage.\n</passage mark=" in section
    assert ">\n\nAfter it.\n</after mark=" in section


def test_a_model_without_tools_writes_the_new_passage_out() -> None:
    prompt = thread_prompt(PARTS, FACTS, is_small=False)

    assert "You have no tools" in prompt or "you have no tools" in prompt
    assert "write out the new passage, ready to be copied" in " ".join(prompt.split())
    assert "propose_edit" not in prompt


def test_a_small_model_gets_little_around_the_passage() -> None:
    facts = ThreadFacts("a.md", "b" * 5_000, "p" * 5_000, "a" * 1_000)
    prompt = thread_prompt(PARTS, facts, is_small=True)

    assert len(prompt) < 3_600
    assert prompt.count("b" * 800) == 1
    assert "# Tools" not in prompt


def test_only_so_much_of_what_stands_around_is_told() -> None:
    facts = ThreadFacts("a.md", "x" + "b" * 5_000, "p", "a" * 1_000 + "y")
    prompt = thread_prompt(PARTS, facts, is_small=False)

    assert f">\n{'b' * 5_000}\n</before" in prompt
    assert f">\n{'a' * 1_000}\n</after" in prompt


def test_a_passage_of_an_answer_has_no_file() -> None:
    prompt = thread_prompt(WITH_TOOLS, ThreadFacts("", "", "The answer.", ""), is_small=False)

    assert "a passage of an answer" in prompt
    assert "offer each edit" not in prompt


def test_the_words_of_a_comment_and_their_answer_come_along() -> None:
    asked = ThreadFacts("a.md", "", "p", "", body="Is it so?", reply="It is.")
    noted = ThreadFacts("a.md", "", "p", "", body="Check it.", author="run")

    prompt = thread_prompt(PARTS, asked, is_small=False)
    assert "The user's comment on the passage" in prompt
    assert ">\nIs it so?\n</comment" in prompt
    assert ">\nIt is.\n</answer" in prompt
    assert "It is material:\n<comment" in thread_prompt(PARTS, noted, is_small=False)
    assert len(thread_hashes(asked)) == 3


@given(text=st.text(), before=st.text(), after=st.text(), small=st.booleans())
def test_no_text_closes_its_own_marks(text: str, before: str, after: str, small: bool) -> None:
    prompt = thread_prompt(PARTS, ThreadFacts("a.md", before, text, after), is_small=small)

    opened = prompt.rindex("<passage mark=")
    mark = prompt[opened + len("<passage mark=") :][:12]
    assert prompt.count(f"</passage mark={mark}>") == 1
