"""Heroku's managed inference, told by its fingerprint."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="heroku",
    title="Heroku",
    layer=Layer.CLOUD,
    recognises=lambda clues: clues.fingerprint.startswith("heroku-"),
    hosts=("heroku.com",),
)
