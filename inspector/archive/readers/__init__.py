"""Readings that a person or client waits for. Each runs in a process of its own with limits of
memory, CPU time and wall time, so that web stays small whatever is read.
"""
