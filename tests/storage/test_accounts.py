"""Accounts, invitations, keys and sign-ins, on both engines."""

from dataclasses import replace

import pytest

from recto.storage import (
    AccountRecord,
    ApiKeyRecord,
    CallLimits,
    ProviderSignIn,
    RecordExists,
    RecordNotFound,
    Storage,
)
from tests.storage.conftest import StepClock

pytestmark = pytest.mark.anyio

LIMITS = CallLimits(5_000_000, 0, 10, 1000, 2, ("a", "b"), {"big": "small"})


async def add_account(storage: Storage, name: str = "ann") -> AccountRecord:
    async with storage.write() as write:
        return await storage.accounts.add(write, id=f"id-{name}", name=name)


async def add_key(storage: Storage, name: str = "k1", account_id: str = "id-ann") -> ApiKeyRecord:
    async with storage.write() as write:
        return await storage.api_keys.add(
            write, id=name, account_id=account_id, name=name, hash=f"hash-{name}", hint="…1234"
        )


async def test_an_account_is_kept_and_changed(storage: Storage) -> None:
    accounts = storage.accounts
    made = await add_account(storage)
    assert made == AccountRecord(
        "id-ann", "ann", "member", None, None, False, CallLimits(), 1_000_000
    )
    async with storage.write() as write:
        changed = await accounts.change(
            write, made.id, role="admin", limits=LIMITS, password_hash="h", is_disabled=True
        )
    expected = replace(made, role="admin", limits=LIMITS, password_hash="h", is_disabled=True)
    assert changed == await accounts.named("ann") == await accounts.get("id-ann") == expected
    assert await accounts.all() == (expected,)
    with pytest.raises(RecordNotFound):
        async with storage.write() as write:
            await accounts.change(write, "nobody", is_disabled=True)


async def test_a_name_and_a_subject_belong_to_one_account(storage: Storage) -> None:
    await add_account(storage)
    with pytest.raises(RecordExists):
        async with storage.write() as write:
            await storage.accounts.add(write, id="other", name="ann")
    async with storage.write() as write:
        bob = await storage.accounts.add(write, id="b", name="bob", subject="https://idp bob")
    assert await storage.accounts.with_subject("https://idp bob") == bob
    assert await storage.accounts.with_subject("https://idp eve") is None


async def test_only_an_admin_who_can_sign_in_counts_as_one(storage: Storage) -> None:
    accounts = storage.accounts
    await add_account(storage)
    async with storage.write() as write:
        await accounts.change(write, "id-ann", role="admin")
    assert not await accounts.has_admin()
    async with storage.write() as write:
        await accounts.change(write, "id-ann", password_hash="h")
    assert await accounts.has_admin()
    async with storage.write() as write:
        await accounts.change(write, "id-ann", is_disabled=True)
    assert not await accounts.has_admin()


async def test_an_invitation_holds_once_until_it_expires_or_another_is_made(
    storage: Storage, clock: StepClock
) -> None:
    accounts = storage.accounts
    ann = await add_account(storage)
    async with storage.write() as write:
        await accounts.invite(write, account_id=ann.id, hash="first", expires_ms=2_000_000)
    assert await accounts.invited("first", clock.ms) == ann
    assert await accounts.invited("first", 2_000_000) is None
    assert await accounts.invited("other", clock.ms) is None
    async with storage.write() as write:
        await accounts.invite(write, account_id=ann.id, hash="second", expires_ms=2_000_000)
    assert await accounts.invited("first", clock.ms) is None
    async with storage.write() as write:
        assert await accounts.invited("second", clock.ms, within=write) == ann
        await accounts.take_invitation(write, "second")
    assert await accounts.invited("second", clock.ms) is None


async def test_a_key_is_found_by_its_hash_with_its_account(
    storage: Storage, clock: StepClock
) -> None:
    keys = storage.api_keys
    ann = await add_account(storage)
    made = await add_key(storage)
    assert await keys.find("hash-k1") == (made, ann)
    assert await keys.find("hash-k2") is None
    clock.ms += 5
    async with storage.write() as write:
        await keys.used(write, "k1")
        await keys.set_limits(write, "k1", LIMITS)
        revoked = await keys.revoke(write, "k1")
    clock.ms += 5
    async with storage.write() as write:
        assert await keys.revoke(write, "k1") == revoked
    assert revoked == replace(made, last_used_ms=1_000_005, limits=LIMITS, revoked_ms=1_000_005)
    with pytest.raises(RecordNotFound):
        await add_key(storage, "k2", "nobody")


async def test_keys_are_listed_by_account(storage: Storage) -> None:
    await add_account(storage)
    await add_account(storage, "bob")
    first = await add_key(storage)
    async with storage.write() as write:
        second = await storage.api_keys.add(
            write,
            id="k2",
            account_id="id-bob",
            name="",
            hash="h2",
            hint="",
            doors=("gemini",),
            limits=LIMITS,
            expires_ms=7,
        )
    assert await storage.api_keys.all() == (first, second)
    assert await storage.api_keys.all("id-bob") == (second,)
    assert await storage.api_keys.get("k2") == second
    assert (second.doors, second.limits) == (("gemini",), LIMITS)


async def test_the_tokens_of_a_sign_in_are_found_used_and_ended(
    storage: Storage, clock: StepClock
) -> None:
    sign_ins = storage.sign_ins
    ann = await add_account(storage)
    async with storage.write() as write:
        made = await sign_ins.begin(write, id="s1", account_id=ann.id, expires_ms=9_000_000)
        await sign_ins.add_token(
            write, hash="t1", sign_in_id="s1", kind="refresh", expires_ms=9_000_000
        )
    found = await sign_ins.find("t1")
    assert found is not None
    assert (found.sign_in, found.account, found.token.used_ms) == (made, ann, None)
    async with storage.write() as write:
        await sign_ins.use(write, "t1")
        await sign_ins.end(write, "s1")
    found = await sign_ins.find("t1")
    assert found is not None
    assert (found.token.used_ms, found.sign_in.ended_ms) == (clock.ms, clock.ms)


async def test_what_has_expired_is_deleted_when_somebody_signs_in(
    storage: Storage, clock: StepClock
) -> None:
    sign_ins = storage.sign_ins
    ann = await add_account(storage)
    for number in range(3):
        async with storage.write() as write:
            id, end = f"s{number}", clock.ms + 1000
            await sign_ins.begin(write, id=id, account_id=ann.id, expires_ms=end)
            await sign_ins.add_token(write, hash=id, sign_in_id=id, kind="access", expires_ms=end)
        clock.ms += 1000
    assert [await sign_ins.find(f"s{number}") is not None for number in range(3)] == [
        False,
        False,
        True,
    ]
    async with storage.write() as write:
        await sign_ins.end_all(write, ann.id)
    found = await sign_ins.find("s2")
    assert found is not None
    assert found.sign_in.ended_ms == clock.ms


async def test_who_comes_back_from_another_service_is_awaited_once_and_for_a_while(
    storage: Storage, clock: StepClock
) -> None:
    sign_ins = storage.sign_ins
    first = ProviderSignIn("h1", "nonce", "verifier", clock.ms + 10)
    second = ProviderSignIn("h2", "nonce", "verifier", clock.ms + 20)
    async with storage.write() as write:
        await sign_ins.expect(write, first)
        await sign_ins.expect(write, second)
        assert await sign_ins.come_back(write, "h1") == first
        assert await sign_ins.come_back(write, "h1") is None
    clock.ms += 20
    async with storage.write() as write:
        assert await sign_ins.come_back(write, "h2") is None
