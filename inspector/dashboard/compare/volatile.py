"""Fields that differ between any two responses; shown, but not counted as differences."""

import re

from inspector.core.json.pointer import steps_of

VOLATILE = frozenset(
    {
        "created",
        "call_id",
        "completed_at",
        "createTime",
        "created_at",
        "encrypted_content",
        "duration_seconds",
        "feedback_token",
        "id",
        "latency_checkpoint",
        "request_id",
        "responseId",
        "seed",
        "signature",
        "system_fingerprint",
        "thoughtSignature",
        "time_info",
        "timings",
        "trace_id",
    }
)
# As in "queue_time", "total_duration", "eval_ms" and "duration_seconds".
TIMES = re.compile(
    r"(?:^|_)(?:time|duration|latency|ms|per_second|per_sec)(?:_|$)|_seconds$", re.IGNORECASE
)


def is_volatile(pointer: str) -> bool:
    """Return True for ids, timestamps, fingerprints, feedback tokens and provider times."""
    steps = steps_of(pointer)
    return any(step in VOLATILE or TIMES.search(step) for step in steps)
