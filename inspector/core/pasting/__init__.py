"""Texts that people paste: the responses cut out of them, and repairs proposed."""
