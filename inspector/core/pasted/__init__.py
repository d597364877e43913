"""Reads pasted texts: cuts responses out of them and proposes repairs."""
