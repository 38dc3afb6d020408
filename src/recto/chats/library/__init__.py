"""Chats as things: begun, listed, kept in folders, synced, changed, found."""
