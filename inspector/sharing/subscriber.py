"""Deletes links with the captures that they lead to. What is overwritten in a capture, and the end
of its body, leave them: they show what is there.
"""

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
