"""What models write and servers answer, held to the servers' schemas."""
