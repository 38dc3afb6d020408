"""A chat's history and how it is stored: entries, their JSON, the log of events."""
