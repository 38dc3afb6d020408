"""What the declarations of all tables share: kinds of columns, and how constraints are named."""

import re

from sqlalchemy import BigInteger, Dialect, Integer, MetaData, Text
from sqlalchemy.types import TypeDecorator

from recto.storage.failures import NotStorable

UNKEEPABLE = re.compile("[\0\ud800-\udfff]")


class PlainText(TypeDecorator[str]):
    """Text that both engines can keep: PostgreSQL knows no NUL, neither knows lone surrogates."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Refuse what one of the engines would refuse or change."""
        if value is not None and UNKEEPABLE.search(value):
            raise NotStorable
        return value


# SQLite counts only in INTEGER columns, which hold 64 bits there.
Counter = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
