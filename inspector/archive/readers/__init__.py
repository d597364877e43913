"""Readings that somebody waits for, each in a process that may be ended: memory, processor time
and wall time are limited there, and web stays small whatever is read.
"""
