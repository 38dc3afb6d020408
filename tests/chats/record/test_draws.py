from recto.chats.turns.clock_readings import LiveReadings, RecordedReadings
from recto.storage import ChatEvent


class SteppingClock:
    """Each reading is a second later."""

    def __init__(self) -> None:
        self._now = 0.0

    def now_ms(self) -> int:
        return 0

    def monotonic(self) -> float:
        self._now += 1
        return self._now


def recorded(draws: LiveReadings) -> RecordedReadings:
    return RecordedReadings([ChatEvent("chat", 1, "run", "draws", {"draws": draws.take_new()}, 0)])


def test_what_was_drawn_is_drawn_again_whichever_tool_is_faster() -> None:
    live = LiveReadings(SteppingClock())
    readings = {label: live.monotonic(label) for label in ("one began", "two began", "two ended")}
    readings["one ended"] = live.monotonic("one ended")
    again = recorded(live)

    order = ("two began", "one began", "one ended", "two ended")
    assert {label: again.monotonic(label) for label in order} == readings


def test_readings_of_one_label_come_in_order_and_then_time_stands_still() -> None:
    live = LiveReadings(SteppingClock())
    readings = [live.monotonic(), live.monotonic()]
    again = recorded(live)

    assert [again.monotonic() for _ in range(4)] == [*readings, readings[-1], readings[-1]]


def test_how_tokens_are_counted_is_part_of_it() -> None:
    live = LiveReadings(SteppingClock())
    assert (live.factors(1, (1.1, 0.9)), live.factors(2, None)) == ((1.1, 0.9), None)
    again = recorded(live)

    assert (again.factors(1, None), again.factors(2, (3.0, 3.0))) == ((1.1, 0.9), None)


def test_what_was_taken_is_taken_once() -> None:
    live = LiveReadings(SteppingClock())
    live.monotonic("began")

    assert (live.take_new(), live.take_new()) == ([["began", 1.0]], [])
