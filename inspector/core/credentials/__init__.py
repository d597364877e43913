"""Credentials that came with an exchange: found by names and by shape, and taken out."""
