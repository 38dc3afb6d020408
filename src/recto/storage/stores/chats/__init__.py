"""The stores of chats: entries, events, runs, groups, and their full text."""
