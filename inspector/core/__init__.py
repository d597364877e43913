"""Reads responses of LLM APIs: bytes in, values out. No I/O, no clock and no Django in here."""
