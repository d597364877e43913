"""Withdraws exports that hold a capture, once it is not any more what they say."""

from collections.abc import Sequence

from inspector.archive.events import Ended
from inspector.archive.models import Capture
from inspector.transfer.exports.exports import withdraw_with


def rewritten(captures: Sequence[Capture]) -> Ended:
    return Ended(exports=withdraw_with([each.pk for each in captures]))


body_deleted = deleted = rewritten
