"""Schemas of the service description, and of every error."""

from __future__ import annotations

from api.openapi.schema import BOOLEAN, COUNT, STRING, STRINGS, Schema, object_of, or_null

SHAPES: dict[str, Schema] = {
    "Error": object_of(
        error=object_of(
            code=STRING,
            message=STRING,
            request_id=STRING,
            status_code={"type": "integer"},
            optional=("status_code",),
        )
    ),
    "Root": object_of(
        limits={"type": "object", "additionalProperties": COUNT},
        versions=object_of(api=STRING, analysis=COUNT),
        filters={"type": "object", "additionalProperties": or_null(STRINGS)},
        links={"type": "object", "additionalProperties": STRING},
    ),
    "Alive": object_of(alive=BOOLEAN),
    "Ready": object_of(
        optional=("totals",),
        ready=BOOLEAN,
        checks={"type": "object", "additionalProperties": {"enum": ["yes", "no"]}},
        totals={"type": "object", "additionalProperties": or_null(COUNT)},
    ),
}
