from recto.chats.history.entries import (
    Accounting,
    AnswerSource,
    Assistant,
    AttachedText,
    EntryConfidence,
    MissingFromSummary,
    Summary,
    Totals,
    User,
)
from recto.chats.turns.summary_entry import kept_entries, summary_entry
from recto.messages import AssistantPart, Text, ToolCall, Usage
from tests.chats.random_entries import numbered

USAGE = Usage(input=900, output=40)


def answer(*parts: AssistantPart | str) -> Assistant:
    return Assistant(
        tuple(Text(part) if isinstance(part, str) else part for part in parts),
        "t1",
        1,
        "m",
        "M",
        "end_turn",
        None,
        None,
        EntryConfidence(None, "unknown"),
        AnswerSource("r", "h", "chat"),
    )


def summarised(*contents: User | Assistant | Summary | Accounting, text: str) -> Summary:
    return summary_entry(numbered(contents), text=text, model="m", usage=USAGE, cost_micros=12)


def test_a_summary_says_what_it_leaves_out() -> None:
    summary = summarised(
        User(
            "Read notes/plan.md with Ada Lovelace.", "t1", (AttachedText("data/a.csv", "1,2", "h"),)
        ),
        answer("It costs 1,250 and is in part two.", ToolCall("c1", "edit", {"path": "out.tex"})),
        text=" We looked at notes/plan.md. ",
    )

    assert summary == Summary(
        text="We looked at notes/plan.md.",
        model="m",
        usage=USAGE,
        cost_micros=12,
        kept=("e1",),
        missing=MissingFromSummary(
            files=("data/a.csv", "out.tex"), numbers=("1,250",), names=("Ada Lovelace",)
        ),
    )


def test_open_items_that_the_summary_forgot_are_added_word_for_word() -> None:
    summary = summarised(
        User("- [ ] Check the second table\n- [ ] Ask Bob\n- [ ] Translate chapter three", "t1"),
        answer("- [x] Ask Bob"),
        text="We must translate chapter three.",
    )

    assert summary.text == (
        "We must translate chapter three.\n\n"
        "Still open, word for word:\n- [ ] Check the second table"
    )
    assert "Check the second table" not in summary.missing.open_items


def test_the_last_request_and_pinned_messages_are_kept() -> None:
    history = numbered(
        [
            User("First.", "t1", pinned=True),
            answer("One."),
            User("Second.", "t2"),
            answer("Two."),
            User("Third.", "t3"),
            answer("Three."),
        ]
    )

    assert kept_entries(history) == ("e1", "e5")
    assert kept_entries(history, pins={"e4"}) == ("e1", "e4", "e5")
    assert kept_entries(()) == ()


def test_what_no_longer_counts_is_neither_kept_nor_missed() -> None:
    summary = summarised(
        User("Keep this.", "t1"),
        answer("Yes."),
        User("Read old.md.", "t2", pinned=True),
        Accounting("edit", 3, 1, Totals()),
        text="Nothing.",
    )

    assert (summary.kept, summary.missing) == (("e1",), MissingFromSummary())


def test_a_second_summary_is_held_against_the_first_and_what_followed() -> None:
    summary = summarised(
        User("Old words about ancient.md.", "t1"),
        Summary("We read first.md.", "m", None, None, kept=("e1",)),
        User("Now second.md.", "t2"),
        text="We read second.md.",
    )

    assert summary.missing.files == ("ancient.md", "first.md")
    assert summary.kept == ("e3",)
