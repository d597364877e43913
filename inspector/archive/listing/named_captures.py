"""Finds captures by what they go by: their own id, whole or its beginning, the idempotency key that
their sender chose, or an id that a response header gives the request.
"""

from django.db.models import QuerySet

from inspector.archive.listing.capture_ids import IdRange, id_range
from inspector.archive.listing.filters import Filters
from inspector.archive.models import Capture, RequestIdRow


def name_captures(filters: Filters, captures: QuerySet[Capture]) -> Filters:
    """Return the filters with ids in place of a text that captures go by; else unchanged.

    Asked before the list: an index finds ids, while a part of a text is looked for row by row,
    and only in captures that are inspected.
    """
    text = filters.text
    if not text:
        return filters
    ids = _ids_beginning(text, captures) or _id_of_key(text, captures)
    if ids:
        return filters.without_words("id", ids)
    request_id = text.strip()
    rows = RequestIdRow.objects.filter(value=request_id)
    is_named = captures.filter(id__in=rows.values("capture")).exists()
    return filters.without_words("request_id", request_id) if is_named else filters


def _ids_beginning(text: str, captures: QuerySet[Capture]) -> IdRange | None:
    ids = id_range(text)
    return ids if ids and captures.filter(id__range=ids).exists() else None


def _id_of_key(text: str, captures: QuerySet[Capture]) -> IdRange | None:
    # One team has a key once; where several teams are listed together, it may stand for several.
    found = captures.filter(idempotency_key=text).values_list("id", flat=True)[:2]
    return (found[0], found[0]) if len(found) == 1 else None
