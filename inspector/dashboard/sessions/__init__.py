"""Pages of sessions: the list, and one session turn by turn."""
