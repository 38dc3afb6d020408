from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from recto.chats.history.entries import (
    Accounting,
    AnswerSource,
    Assistant,
    ChatEntry,
    EntryConfidence,
    EntryContent,
    Notice,
    SideQuestion,
    Summary,
    Title,
    Totals,
    User,
)
from recto.chats.history.statistics import (
    after_checkpoint,
    checkpoint,
    context_tokens,
    visible,
)
from recto.messages import Text, Usage
from tests.chats.random_entries import numbered


def asks(text: str = "Go on.") -> User:
    return User(text, "t1")


def answers(input: int = 0, output: int = 0, cost: int | None = 0) -> Assistant:
    return unused(Usage(input=input, output=output), cost)


def unused(usage: Usage | None = None, cost: int | None = None) -> Assistant:
    return Assistant(
        (Text("Yes."),),
        "t1",
        1,
        "m",
        "M",
        "end_turn",
        usage,
        cost,
        EntryConfidence(None, "unknown"),
        AnswerSource("r", "h", "chat"),
    )


def sums_up(output: int = 5, cost: int | None = 1) -> Summary:
    return Summary("What was said.", "m", Usage(input=50, output=output), cost)


def discards(from_seq: int, kept: Totals | None = None) -> Accounting:
    return Accounting("edit", from_seq, 2, kept or Totals())


def takes_off(entry_id: str) -> Accounting:
    return Accounting("checkpoint_removed", 1, 1, Totals(), entry_id)


def seqs(entries: Sequence[ChatEntry]) -> list[int]:
    return [entry.seq for entry in entries]


def test_discarded_entries_are_left_out_and_the_accounting_entry_stays() -> None:
    history = numbered([asks(), answers(), asks(), answers(), discards(3), asks(), answers()])

    assert seqs(visible(history)) == [1, 2, 5, 6, 7]


def test_an_edit_of_an_earlier_message_discards_earlier_discards_too() -> None:
    history = numbered(
        [asks(), answers(), asks(), answers(), discards(3), asks(), answers(), discards(1), asks()]
    )

    assert seqs(visible(history)) == [8, 9]


def test_a_checkpoint_that_is_taken_off_leaves_what_followed_it() -> None:
    history = numbered([asks(), answers(), sums_up(), asks(), answers(), takes_off("e3"), asks()])

    assert seqs(visible(history)) == [1, 2, 4, 5, 6, 7]
    assert checkpoint(history) is None
    assert seqs(after_checkpoint(history)) == [1, 2, 4, 5, 6, 7]


def test_going_back_to_before_a_checkpoint_was_taken_off_puts_it_back() -> None:
    history = numbered([asks(), sums_up(), asks(), takes_off("e2"), asks(), discards(3), asks()])

    assert seqs(visible(history)) == [1, 2, 6, 7]
    assert checkpoint(history) == history[1]


def test_t15_a_summary_stands_however_many_messages_follow_it() -> None:
    said: list[EntryContent] = [asks(), answers(), sums_up()]
    for _ in range(5):
        said += [asks(), answers()]
        assert checkpoint(numbered(said)) == numbered(said)[2]


def test_t17_a_discard_never_leaves_results_without_their_calls() -> None:
    """Everything from a place on goes, so a call that stays has its results before the place."""
    history = numbered([asks(), answers(), Notice("steps", "", "t1"), answers(), discards(2)])

    assert seqs(visible(history)) == [1, 5]


def test_t18_the_last_summary_counts_not_the_first() -> None:
    history = numbered([asks(), answers(100, 10), sums_up(7), asks(), answers(40, 3), sums_up(9)])

    assert checkpoint(history) == history[-1]
    assert after_checkpoint(history) == ()
    assert context_tokens(history) == 9


def test_the_context_is_the_sum_of_the_latest_request() -> None:
    latest = unused(Usage(10, 300, 4000, cache_write_long=4000, output=2, reasoning=1))

    assert context_tokens(numbered([asks(), answers(9, 9), asks(), latest, asks()])) == 4312


def test_a_title_and_the_request_for_a_summary_leave_the_context_as_it_is() -> None:
    side: list[EntryContent] = [
        Title("A title", "m", Usage(input=20, output=1), 7),
        SideQuestion("Summary, please.", "summary_request"),
        unused(),
    ]

    assert context_tokens(numbered([asks(), answers(100, 10), *side])) == 110


def test_a_summary_leaves_only_its_own_words_in_the_context() -> None:
    assert context_tokens(numbered([asks(), answers(100, 10), sums_up(7)])) == 7
    assert context_tokens(numbered([answers(100, 10), sums_up(7), asks(), answers(30, 4)])) == 34


def test_a_context_that_nobody_counted_is_unknown() -> None:
    uncounted = replace(sums_up(), usage=None)

    assert context_tokens(numbered([asks()])) is None
    assert context_tokens(numbered([answers(100, 10), uncounted])) is None


def test_after_an_edit_the_context_is_that_of_the_last_answer_that_counts() -> None:
    history = numbered([asks(), answers(100, 10), asks(), answers(900, 90), discards(3), asks()])

    assert context_tokens(history) == 110


@st.composite
def histories(draw: st.DrawFn) -> tuple[ChatEntry, ...]:
    """Histories as they come about: what is discarded or taken off is something that counts."""
    said: list[EntryContent] = []
    for _ in range(draw(st.integers(0, 25))):
        so_far = numbered(said)
        seen = visible(so_far)
        marks = [entry for entry in seen if isinstance(entry.content, Summary)]
        match draw(st.integers(0, 9)):
            case 0 if seen:
                first = draw(st.sampled_from(seen)).seq
                said.append(discards(first))
            case 1 if marks:
                said.append(takes_off(draw(st.sampled_from(marks)).id))
            case 2:
                said.append(sums_up(draw(st.integers(0, 99)), draw(st.none() | st.integers(0, 9))))
            case 3:
                said.append(Title("T", "m", Usage(output=1), draw(st.none() | st.integers(0, 9))))
            case 4 | 5 | 6:
                said.append(answers(*draw(st.tuples(st.integers(0, 99), st.integers(0, 99)))))
            case _:
                said.append(asks())
    return numbered(said)


@settings(deadline=None)
@given(histories())
def test_the_views_agree_with_taking_entries_out_one_by_one(history: tuple[ChatEntry, ...]) -> None:
    shown = one_by_one(history)

    assert list(visible(history)) == shown
    last = max((n for n, e in enumerate(shown) if isinstance(e.content, Summary)), default=-1)
    assert list(after_checkpoint(history)) == shown[last + 1 :]


def one_by_one(history: Sequence[ChatEntry]) -> list[ChatEntry]:
    shown: list[ChatEntry] = []
    for entry in history:
        match entry.content:
            case Accounting(reason="checkpoint_removed", about=about):
                shown = [item for item in shown if item.id != about]
            case Accounting(from_seq=first):
                # Going back also gives back a checkpoint that was taken off after that place.
                shown = one_by_one(history[: first - 1])
            case _:
                pass
        shown.append(entry)
    return shown
