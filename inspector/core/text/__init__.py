"""Plain text: compared word by word, and searched for the markup of templates."""
