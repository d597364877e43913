"""Sends words to PostgreSQL as its driver is told to."""

from __future__ import annotations

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

from inspector.database.postgresql.tsvector import TsVector


class _TsVectorDumper(Dumper):
    format = Format.BINARY
    oid = psycopg.adapters.types["tsvector"].oid

    def dump(self, obj: TsVector) -> bytes:
        return obj


def register() -> None:
    """For all connections that are opened from now on."""
    psycopg.adapters.register_dumper(TsVector, _TsVectorDumper)
