"""Requests as their formats write them: where the prompt stands, and what it says."""
