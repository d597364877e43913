"""Images, audio and files inside messages."""
