"""The routes of the people's API."""
