"""What a caller's spending counts in, each with its limit: key, account, and the whole gateway."""

from recto.access import SpendingScope, month_scope
from recto.storage import AccountRecord, ApiKeyRecord


def account_month(account_id: str, month: str) -> str:
    """The scope of an account in a month."""
    return f"account:{account_id}:{month}"


def account_balance(account_id: str) -> str:
    """The scope of everything that an account ever spent."""
    return f"balance:{account_id}"


def key_month(key_id: str, month: str) -> str:
    """The scope of a key in a month."""
    return f"key:{key_id}:{month}"


def key_balance(key_id: str) -> str:
    """The scope of everything that a key ever spent."""
    return f"key-balance:{key_id}"


def spending_scopes(
    account: AccountRecord, key: ApiKeyRecord | None, *, month: str, gateway_micros: int | None
) -> tuple[SpendingScope, ...]:
    """Every scope of a call. One without a limit counts too: it may get one later."""
    own = account.limits
    found = [
        # What the operator pays: the mark-up is what people pay on top.
        SpendingScope(
            month_scope(month),
            gateway_micros,
            "the gateway's monthly limit",
            counts_markup=False,
        ),
        SpendingScope(
            account_month(account.id, month), own.monthly_micros, "the account's monthly limit"
        ),
        SpendingScope(account_balance(account.id), own.credit_micros, "the account's credit"),
    ]
    if key is not None:
        own = key.limits
        found += [
            SpendingScope(key_month(key.id, month), own.monthly_micros, "the key's monthly limit"),
            SpendingScope(key_balance(key.id), own.credit_micros, "the key's credit"),
        ]
    return tuple(found)
