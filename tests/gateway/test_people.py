"""Invitations, passwords, sign-ins whose refresh tokens rotate, keys."""

import anyio
import pytest

from recto.clock import SystemClock, SystemIds
from recto.gateway.credentials import hash_of
from recto.gateway.passwords import Argon2Passwords
from recto.gateway.people import (
    InvitationOver,
    LastAdmin,
    NameTaken,
    NoSuchAccount,
    NoSuchKey,
    PasswordRefused,
    TooManyKeys,
)
from recto.gateway.sign_ins import SessionTokens, SignInRefused
from recto.storage import AccountRecord, CallLimits
from tests.gateway.conftest import Worker

pytestmark = pytest.mark.anyio

PASSWORD = "correct horse"


async def member(worker: Worker, name: str = "ann") -> AccountRecord:
    """Somebody who has accepted their invitation."""
    invited = await worker.people.add(name)
    return await worker.people.accept(invited.code, PASSWORD)


async def signed_in(worker: Worker, name: str = "ann") -> SessionTokens:
    found = await worker.sign_ins.sign_in(name, PASSWORD)
    assert isinstance(found, SessionTokens)
    return found


async def test_an_invitation_lets_somebody_choose_a_password_once(worker: Worker) -> None:
    invited = await worker.people.add("ann", limits=CallLimits(monthly_micros=5))
    assert await worker.sign_ins.sign_in("ann", PASSWORD) == SignInRefused()
    with pytest.raises(PasswordRefused):
        await worker.people.accept(invited.code, "short")
    assert (await worker.people.invited(invited.code)).name == "ann"
    await worker.people.accept(invited.code, PASSWORD)
    with pytest.raises(InvitationOver):
        await worker.people.accept(invited.code, "another password")
    assert await worker.sign_ins.sign_in("ann", "another password") == SignInRefused()
    assert await worker.sign_ins.sign_in("bob", PASSWORD) == SignInRefused()
    await signed_in(worker)


async def test_an_invitation_ends_after_a_week_and_with_the_next_one(worker: Worker) -> None:
    first = await worker.people.add("ann")
    second = await worker.people.invite_again(first.account.id)
    with pytest.raises(InvitationOver):
        await worker.people.accept(first.code, PASSWORD)
    worker.clock.ms += 7 * 24 * 60 * 60 * 1000
    with pytest.raises(InvitationOver):
        await worker.people.accept(second.code, PASSWORD)
    with pytest.raises(NoSuchAccount):
        await worker.people.invite_again("nobody")
    with pytest.raises(NameTaken):
        await worker.people.add("ann")


async def test_a_new_password_ends_what_was_signed_in_with_the_old_one(worker: Worker) -> None:
    ann = await member(worker)
    tokens = await signed_in(worker)
    assert await worker.sign_ins.find(tokens.access) is not None
    again = await worker.people.invite_again(ann.id)
    await worker.people.accept(again.code, "a new password")
    assert await worker.sign_ins.find(tokens.access) is None
    assert await worker.sign_ins.refresh(tokens.refresh) is None


async def test_the_first_admin_is_invited_until_there_is_one(worker: Worker) -> None:
    first = await worker.people.first_admin()
    again = await worker.people.first_admin()
    assert first is not None
    assert again is not None
    assert first.account == again.account
    with pytest.raises(InvitationOver):
        await worker.people.accept(first.code, PASSWORD)
    await worker.people.accept(again.code, PASSWORD)
    assert await worker.people.first_admin() is None


async def test_the_last_admin_stays_one(worker: Worker) -> None:
    invited = await worker.people.first_admin()
    assert invited is not None
    admin = await worker.people.accept(invited.code, PASSWORD)
    for changes in ({"role": "member"}, {"is_disabled": True}):
        with pytest.raises(LastAdmin):
            await worker.people.change(admin.id, changes)  # pyright: ignore[reportArgumentType]
    bob = await member(worker, "bob")
    await worker.people.change(bob.id, {"role": "admin"})
    assert (await worker.people.change(admin.id, {"is_disabled": True})).is_disabled


async def test_access_ends_after_fifteen_minutes_and_is_renewed_for_thirty_days(
    worker: Worker,
) -> None:
    await member(worker)
    tokens = await signed_in(worker)
    worker.clock.ms += 15 * 60 * 1000 - 1
    assert await worker.sign_ins.find(tokens.access) is not None
    worker.clock.ms += 1
    assert await worker.sign_ins.find(tokens.access) is None
    following = await worker.sign_ins.refresh(tokens.refresh)
    assert following is not None
    assert await worker.sign_ins.find(following.access) is not None
    # A refresh token is no access token, and the other way round.
    assert await worker.sign_ins.find(following.refresh) is None
    assert await worker.sign_ins.refresh(following.access) is None
    worker.clock.ms = tokens.refresh_ends_ms
    assert await worker.sign_ins.refresh(following.refresh) is None


async def test_a_refresh_token_that_is_used_twice_ends_its_family_and_no_other(
    worker: Worker,
) -> None:
    await member(worker)
    stolen, other = await signed_in(worker), await signed_in(worker)
    following = await worker.sign_ins.refresh(stolen.refresh)
    assert following is not None
    assert await worker.sign_ins.refresh(stolen.refresh) is None
    assert await worker.sign_ins.find(following.access) is None
    assert await worker.sign_ins.refresh(following.refresh) is None
    assert await worker.sign_ins.refresh(other.refresh) is not None


async def test_of_two_that_use_a_refresh_token_at_once_one_gets_tokens(
    two_workers: tuple[Worker, Worker],
) -> None:
    await member(two_workers[0])
    tokens = await signed_in(two_workers[1])
    got: list[SessionTokens | None] = []

    async def refresh(worker: Worker) -> None:
        got.append(await worker.sign_ins.refresh(tokens.refresh))

    async with anyio.create_task_group() as tasks:
        for worker in two_workers:
            tasks.start_soon(refresh, worker)
    [made] = [one for one in got if one is not None]
    assert await two_workers[0].sign_ins.find(made.access) is None


async def test_guessing_a_password_is_slowed_down(worker: Worker) -> None:
    await member(worker)
    for _ in range(10):
        assert await worker.sign_ins.sign_in("ann", "wrong") == SignInRefused()
    assert await worker.sign_ins.sign_in("ann", PASSWORD) == SignInRefused(is_too_often=True)
    assert await worker.sign_ins.sign_in("bob", PASSWORD) == SignInRefused()
    worker.clock.ms += 61_000
    await signed_in(worker)


async def test_disabling_an_account_signs_it_out(worker: Worker) -> None:
    ann = await member(worker)
    tokens = await signed_in(worker)
    await worker.people.change(ann.id, {"is_disabled": True})
    assert await worker.sign_ins.find(tokens.access) is None
    assert await worker.sign_ins.refresh(tokens.refresh) is None
    assert await worker.sign_ins.sign_in("ann", PASSWORD) == SignInRefused()


async def test_a_key_is_shown_once_and_revoked_by_its_owner_alone(worker: Worker) -> None:
    ann, bob = await member(worker), await member(worker, "bob")
    made = await worker.people.add_key(ann.id, name="laptop")
    assert made.record.hash == hash_of(made.secret)
    assert made.secret not in repr(await worker.people.keys())
    with pytest.raises(NoSuchKey):
        await worker.people.revoke_key(made.record.id, owner_id=bob.id)
    revoked = await worker.people.revoke_key(made.record.id, owner_id=ann.id)
    assert revoked.revoked_ms == worker.clock.ms
    with pytest.raises(NoSuchAccount):
        await worker.people.add_key("nobody")


async def test_an_account_has_so_many_keys_and_no_more(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.gateway.people.MOST_KEYS", 2)
    ann = await member(worker)
    first, _ = [await worker.people.add_key(ann.id) for _ in range(2)]
    with pytest.raises(TooManyKeys):
        await worker.people.add_key(ann.id)
    await worker.people.revoke_key(first.record.id)
    await worker.people.add_key(ann.id)


async def test_a_password_is_kept_as_argon2id_and_nothing_else_matches() -> None:
    passwords = Argon2Passwords(SystemIds(SystemClock()))
    kept = await passwords.hash("caf\u00e9 au lait")
    assert kept.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert kept != await passwords.hash("caf\u00e9 au lait")
    assert await passwords.matches("cafe\u0301 au lait", kept)
    assert not await passwords.matches("cafe au lait", kept)
    assert not await passwords.matches("caf\u00e9 au lait", None)
