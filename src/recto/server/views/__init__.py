"""What the services know, put into the words of the API."""
