"""Finds what rules of a team name in the decoded texts of an exchange, and overwrites its bytes."""
