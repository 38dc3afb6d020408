"""Chats from and for other programs: imports and exports."""
