"""The JSON of chats, their events, entries and turns."""
