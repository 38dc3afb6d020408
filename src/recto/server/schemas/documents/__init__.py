"""The JSON of open documents and of what is said, offered and changed in them."""
