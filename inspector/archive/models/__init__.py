"""Tables of the archive: evidence, which is never edited, and projections, which can be rebuilt
from it. One file for each subject.
"""

from inspector.archive.models.bulk import BulkChange, BulkKind
from inspector.archive.models.captures import (
    DELETED,
    PENDING,
    UNINSPECTED,
    Capture,
    Evidence,
    EvidenceSegment,
    State,
    TagRow,
)
from inspector.archive.models.deletion import (
    RedactionRule,
    RetentionClock,
    RetentionRule,
    TokenTombstone,
    Tombstone,
)
from inspector.archive.models.inspections import (
    NEWEST,
    ChoiceRow,
    Document,
    FindingRow,
    Inspection,
    RequestIdRow,
    SlowReading,
)
from inspector.archive.models.proxy_counts import ProxyCount
from inspector.archive.models.pulse import Pulse
from inspector.archive.models.saved_views import SavedView

__all__ = [
    "BulkChange",
    "BulkKind",
    "Capture",
    "ChoiceRow",
    "DELETED",
    "Document",
    "Evidence",
    "EvidenceSegment",
    "FindingRow",
    "Inspection",
    "NEWEST",
    "PENDING",
    "ProxyCount",
    "Pulse",
    "RequestIdRow",
    "RedactionRule",
    "RetentionClock",
    "RetentionRule",
    "SavedView",
    "SlowReading",
    "State",
    "TagRow",
    "TokenTombstone",
    "Tombstone",
    "UNINSPECTED",
]
