"""SQLite reads from an index of some states where a statement names them literally."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from inspector.archive.inspection import claims
from inspector.archive.models import PENDING, Capture
from inspector.archive.storage import evidence
from inspector.database.fixed_query import Given
from inspector.database.portability import Literal
from inspector.work.models import Work

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

INDEXED = {
    "capture_due": lambda: claims.quick_due().order_by("due_at"),
    "capture_due_in_turn": lambda: claims._of_sender(timedelta(0), evidence.FORM, True),
}


def plan_of(rows: QuerySet[Any]) -> str:
    statement, parameters = rows.query.sql_with_params()
    given = [1 if isinstance(each, Given) else each for each in parameters]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {statement}", given)
        return " ".join(str(line) for line in cursor.fetchall())


@pytest.mark.parametrize("index", INDEXED)
def test_what_waits_is_found_by_the_index_of_what_waits(index: str) -> None:
    assert f"INDEX {index} " in plan_of(INDEXED[index]())


def test_with_parameters_that_index_is_of_no_use() -> None:
    rows = Capture.objects.filter(state__in=PENDING, due_at__lte=Now())
    assert "capture_due" not in plan_of(rows)


@pytest.mark.parametrize("text", ["it's 5 %", "100%%", ""])
def test_a_literal_is_the_text_that_it_holds(text: str) -> None:
    assert Work.objects.filter(kind=Literal(text)).count() == 0
    Work.objects.create(kind=text)
    assert Work.objects.get(kind=Literal(text)).kind == text
