import subprocess
import sys


def test_importing_the_room_loads_neither_migrations_nor_the_other_engine() -> None:
    program = "import sys, recto.storage; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "sqlalchemy" in loaded
    assert loaded & {"alembic", "asyncpg", "mako"} == set()


def test_opening_a_store_that_is_new_or_up_to_date_loads_no_migrations(sqlite_path: str) -> None:
    program = """
import sys, anyio
from recto.clock import SystemClock
from recto.storage import Storage

async def main(path):
    storage = await Storage.open(path, clock=SystemClock())
    await storage.close()
    print(*sys.modules)

anyio.run(main, sys.argv[1])
"""
    for _ in ("new", "up to date"):
        done = subprocess.run(
            [sys.executable, "-c", program, sqlite_path], capture_output=True, text=True, check=True
        )
        loaded = {name.partition(".")[0] for name in done.stdout.split()}
        assert loaded & {"alembic", "asyncpg"} == set()
