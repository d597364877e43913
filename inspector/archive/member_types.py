"""Types of the members of values that are answered as JSON, each with what its schema states."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

from msgspec import Meta

Count = Annotated[int, Meta(ge=0)]
Moment = Annotated[datetime, Meta(tz=True)]
Url = Annotated[str, Meta(extra_json_schema={"format": "uri"})]


def codes(known: Iterable[str]) -> Meta:
    """One of these codes. Not enforced on what is stored: another release's codes may be there."""
    return Meta(extra_json_schema={"type": "string", "enum": [str(code) for code in known]})
