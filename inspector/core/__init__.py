"""The pure core: bytes in, values out. No I/O, no clock, nothing of Django."""
