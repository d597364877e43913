"""Snowflake's Cortex: empty texts where other vendors leave fields out."""

from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals


def recognises(clues: VendorSignals) -> bool:
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
    layer=VendorLayer.CLOUD,
    recognises=recognises,
    hosts=("snowflakecomputing.com",),
    headers=("x-snowflake-",),
    breaks={"envelope.fingerprint-missing": "its fingerprint is always empty"},
)
