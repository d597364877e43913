"""An exchange envelope with everything that the panel shows."""

from __future__ import annotations

import json

ENVELOPE = {
    "response": {
        "status": 200,
        "headers": [["content-type", "application/json"], ["x-request-id", "req_…"]],
        "body": "{…}",
    },
    "request": {"method": "POST", "url": "https://…", "headers": [], "body": "{…}"},
    "started_at": "2026-11-20T14:02:19.5Z",
    "metadata": {"release": "2026.11"},
}


def envelope_example() -> str:
    return json.dumps(ENVELOPE, ensure_ascii=False, indent=2)
