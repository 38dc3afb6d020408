"""Run by Alembic, on the connection that `schema` hands over. The transaction is the caller's."""

from alembic import context
from sqlalchemy import Connection

connection: Connection = context.config.attributes["connection"]
context.configure(connection=connection, transactional_ddl=True)
context.run_migrations()
