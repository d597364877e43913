"""Leases on rows of work: the row that has waited longest is taken for a while, by a token that
whoever stores a result must still have.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, TypeVar
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Model, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, Now

from inspector.database.portability import skip_locked

Row = TypeVar("Row", bound=Model)


def take_first(rows: QuerySet[Row], due: QuerySet[Row], **columns: Any) -> Row | None:
    """Takes the first of the rows that are due; ``rows`` are all there are, and ``columns`` are set
    with the lease.
    """
    # Most calls find nothing; only the others take the lock that writers need.
    if not due.exists():
        return None
    token = uuid4()
    with transaction.atomic():
        found = [row.pk for row in skip_locked(due.only("pk"))[:1]]
        rows.filter(pk__in=found).update(
            lease_token=token,
            due_at=lease_end(),
            started_at=Coalesce("started_at", Now()),
            **columns,
        )
    # By token: where another process took the row first, nothing has it.
    return rows.filter(lease_token=token).first()


def counted_attempt() -> CombinedExpression:
    return F("attempt") + 1


def lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)
