"""Comments in one message: how they are asked, and each answer found again, whatever comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.context import Comment, comment_attachment, comments_request, read_comment_answers


def test_each_comment_has_a_number_a_place_and_its_words() -> None:
    comments = [
        Comment("a.md", 3, "", "The  sea\ngoes " * 9, "", " Why?\n"),
        Comment("a “b”.md", None, "", "gone", "", "Where?"),
        Comment("", None, "", "One.\nTwo.", "", "Sure?"),
    ]

    assert comments_request("", comments) == (
        'Comment 1, on "a.md", line 3 '
        "(“The sea goes The sea goes The sea goes The sea goes The sea…”):\nWhy?\n\n"
        'Comment 2, on "a “b”.md", a passage that is gone now (“gone”):\nWhere?\n\n'
        "Comment 3, on a passage of an answer:\n> One.\n> Two.\n\nSure?\n\n"
        "Answer each comment in a section of its own, under the heading “### Comment” and its "
        "number, 1 to 3. Say nothing outside these sections."
    )


def test_a_passage_goes_along_with_its_number_and_some_of_what_stands_around() -> None:
    found = comment_attachment(2, Comment("a.md", 3, "before", "x" * 5_000, "after", "Why?"))

    assert (found.path, found.origin) == ("a.md", "selection")
    assert found.cut == "only the first 4,000 of 5,000 characters"
    assert found.text.startswith('The passage of comment 2, "a.md", line 3')
    assert "Before it: before" in found.text
    assert f"\n{'x' * 4_000}\n" in found.text


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("### Comment 1\nYes.\n### Comment 2\nNo.", {1: "Yes.", 2: "No."}),
        ("Well.\n\n## comment 1: the sea\n\nYes.\n\nMore.\n", {1: "Yes.\n\nMore."}),
        ("**Comment 1:** Yes.\n**Comment 2** No.\nMore.", {1: "Yes.", 2: "No.\nMore."}),
        ("### **Comment 2**\nNo.\n### Comment 1\nYes.", {1: "Yes.", 2: "No."}),
        ("### Comment 1\nA.\n### Comment 1\nB.", {1: "A.\n\n\nB."}),
        ("### Comment 1\n#### Why\nYes.\n### Summary\nAll good.", {1: "#### Why\nYes."}),
        ("### Comment 1\n```\n### Comment 2\n```\nYes.", {1: "```\n### Comment 2\n```\nYes."}),
        ("### Comment 1\n~~~~\n```\n### Comment 2\n~~~~\n", {1: "~~~~\n```\n### Comment 2\n~~~~"}),
        ("### Comment 1\n\n### Comment 2\nNo.", {2: "No."}),
        ("### Comment 0\nx\n### Comment 3\ny\n### Comment 12\nz", {}),
        ("Comment 1: yes.\nAs to comment 2, no.", {}),
        ("#Comment 1\nYes.", {}),
        ("", {}),
    ],
)
def test_the_answer_to_each_comment_is_found(answer: str, found: dict[int, str]) -> None:
    assert read_comment_answers(answer, 2) == found


@given(st.text("#* `~comentCOMENT 123\n:"), st.integers(0, 3))
def test_nothing_is_found_that_is_not_in_the_answer(answer: str, count: int) -> None:
    found = read_comment_answers(answer, count)

    assert all(1 <= number <= count for number in found)
    lines = answer.split("\n")
    for text in found.values():
        assert text.strip() == text
        assert all(any(line in whole for whole in lines) for line in text.split("\n"))


PLAIN = st.text("ab .,\n", min_size=1).filter(lambda text: text.strip() == text)


@given(st.lists(PLAIN, min_size=1, max_size=5))
def test_answers_that_keep_to_the_form_come_back_whole(answers: list[str]) -> None:
    whole = "\n\n".join(f"### Comment {at}\n\n{answer}" for at, answer in enumerate(answers, 1))

    assert read_comment_answers(whole, len(answers)) == dict(enumerate(answers, 1))
