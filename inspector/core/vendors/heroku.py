"""Heroku's managed inference, recognised by its fingerprint."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="heroku",
    title="Heroku",
    layer=VendorLayer.CLOUD,
    recognises=lambda clues: clues.fingerprint.startswith("heroku-"),
    hosts=("heroku.com",),
)
