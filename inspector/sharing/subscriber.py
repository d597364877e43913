"""Deletes links with their captures; what is overwritten or loses its body keeps them."""

from collections.abc import Sequence

from inspector.archive.events import Ended
from inspector.archive.models import Capture
from inspector.sharing.models import Share


def deleted(captures: Sequence[Capture]) -> Ended:
    gone = Share.objects.filter(capture__in=captures)
    count = gone.count()
    if count:
        gone.delete()
    return Ended(shares=count)
