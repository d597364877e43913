"""What the service says of itself, and every refusal."""

from __future__ import annotations

from api.openapi.schema import COUNT, TEXT, TEXTS, YES_OR_NO, Schema, object_of, or_null

SHAPES: dict[str, Schema] = {
    "Error": object_of(
        error=object_of(
            code=TEXT,
            message=TEXT,
            request_id=TEXT,
            status_code={"type": "integer"},
            optional=("status_code",),
        )
    ),
    "Root": object_of(
        limits={"type": "object", "additionalProperties": COUNT},
        versions=object_of(api=TEXT, analysis=COUNT),
        filters={"type": "object", "additionalProperties": or_null(TEXTS)},
        links={"type": "object", "additionalProperties": TEXT},
    ),
    "Alive": object_of(alive=YES_OR_NO),
    "Ready": object_of(
        optional=("totals",),
        ready=YES_OR_NO,
        checks={"type": "object", "additionalProperties": {"enum": ["yes", "no"]}},
        totals={"type": "object", "additionalProperties": or_null(COUNT)},
    ),
}
