"""Uploads of many entries: cut while their sender waits, or acknowledged and cut later."""
