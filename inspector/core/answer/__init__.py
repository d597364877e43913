"""Conclusions about an answer: how it ended, what its reader got, and the sentences that say so."""
