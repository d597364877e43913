"""Django's PostgreSQL backend with a cheaper health check of kept connections, and a type more."""

import gc
import select
from typing import Any

from django.db.backends.postgresql import base
from psycopg import adapters
from psycopg.adapt import Dumper
from psycopg.pq import Format

from inspector.database.postgresql.tsvector import TsVector


class _TsVectorDumper(Dumper):
    format = Format.BINARY
    oid = adapters.types["tsvector"].oid

    def dump(self, obj: TsVector) -> bytes:
        return obj


# Django copies what is registered when it opens the first connection.
adapters.register_dumper(TsVector, _TsVectorDumper)

# Django's backends have no types.
_Django: Any = base.DatabaseWrapper


class DatabaseWrapper(_Django):
    """The name is the one by which Django finds it."""

    connection: Any
    health_check_done: bool

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect, and close what threads that ended left open in circles of references: web's
        server ends idle threads and starts others, each with a connection.
        """
        made = super().get_new_connection(conn_params)
        gc.collect()
        return made

    def close_if_health_check_failed(self) -> None:
        # A statement sent only as a health check costs as much as finding a key does. A server that
        # closed the connection has sent so, which can be seen on the socket; one that vanished
        # silently would not have answered a statement either.
        if self.connection is not None and not self.health_check_done:
            self.health_check_done = _is_silent(self.connection)
        super().close_if_health_check_failed()


def _is_silent(connection: Any) -> bool:
    """Return True if nothing has come since the last answer: no end, and no word about one."""
    if connection.closed:
        return False
    # ``poll`` and not ``select``, which fails for descriptors above 1,023.
    looked_at = select.poll()
    looked_at.register(connection.fileno(), select.POLLIN)
    return not looked_at.poll(0)
