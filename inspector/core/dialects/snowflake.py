"""Snowflake's Cortex: empty texts stand where others leave fields out."""

from inspector.core.dialects.vendor import Clues, Layer, Vendor


def recognises(clues: Clues) -> bool:
    labels = {"id", "system_fingerprint", "service_tier"}
    return (
        labels <= clues.signs.top
        and not (clues.id or clues.fingerprint)
        and clues.service_tier == ""
        and "refusal" in clues.signs.message
    )


VENDOR = Vendor(
    slug="snowflake",
    title="Snowflake Cortex",
    layer=Layer.CLOUD,
    recognises=recognises,
    hosts=("snowflakecomputing.com",),
    headers=("x-snowflake-",),
)
