"""Facts that Schemathesis cannot know of this interface: lines of JSON, and the id of a capture."""

import json
import os
from typing import Any

import schemathesis

NDJSON = "application/x-ndjson"


@schemathesis.serializer(NDJSON)
def as_a_line(context: Any, value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


@schemathesis.deserializer(NDJSON)
def first_line(context: Any, response: Any) -> Any:
    return json.loads(response.content.splitlines()[0])


@schemathesis.hook
def map_path_parameters(context: Any, path_parameters: Any) -> Any:
    """Half of the ids are this one: with others everything is 404."""
    if path_parameters and sum(str(path_parameters.get("id", "")).encode()) % 2:
        return {**path_parameters, "id": os.environ["CAPTURE_ID"]}
    return path_parameters
