"""Questions of servers to people, in the middle of a call."""
