from recto.clock import ID_LENGTH, SystemClock, SystemIds
from tests.fakes import FakeClock


def test_ids_sort_in_the_order_they_were_made() -> None:
    ids = SystemIds(SystemClock())
    made = [ids.new() for _ in range(10_000)]
    assert made == sorted(set(made))


def test_ids_count_on_when_the_clock_steps_back() -> None:
    clock = FakeClock()
    ids = SystemIds(clock)
    before = ids.new()
    clock.pass_time(-3600)
    assert ids.new() > before


def test_an_id_is_26_characters_that_cannot_be_misread() -> None:
    made = SystemIds(SystemClock()).new()
    assert len(made) == ID_LENGTH
    assert not set(made) - set("0123456789abcdefghjkmnpqrstvwxyz")


def test_secrets_are_256_bits_and_differ() -> None:
    ids = SystemIds(SystemClock())
    made = {ids.secret() for _ in range(1000)}
    assert len(made) == 1000
    assert {len(secret) for secret in made} == {64}
