"""Routes of chats: their list, their history, turns, and what is sent."""
