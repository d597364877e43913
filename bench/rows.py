"""The least that a row of an intake is: twelve columns beside its key, a body, two indexes."""

import hashlib
from datetime import UTC, datetime
from uuid import uuid4

TABLE = (
    """CREATE TABLE bare (id char(32) PRIMARY KEY, team integer NOT NULL, state text NOT NULL,
       received_at text NOT NULL, due_at text NOT NULL, attempt integer NOT NULL,
       byte_length bigint NOT NULL, sha256 text NOT NULL, content_type text, status_code integer,
       outcome text NOT NULL, note text NOT NULL, tags text NOT NULL, body BYTES NOT NULL)""",
    "CREATE INDEX bare_newest ON bare (team, received_at, id)",
    "CREATE INDEX bare_due ON bare (state, due_at)",
)
"""BYTES stands for what the database calls them."""
INSERT = f"INSERT INTO bare VALUES ({', '.join(['%s'] * 14)})"


def row(body: bytes, content_type: str = "application/json") -> tuple[object, ...]:
    now = datetime.now(UTC).isoformat()
    hashed = hashlib.sha256(body).hexdigest()
    evidence = (len(body), hashed, content_type, 200, "ended", "", "[]", body)
    return (uuid4().hex, 1, "received", now, now, 0, *evidence)
