"""Fields of an answer that several formats have, each read in one place."""
