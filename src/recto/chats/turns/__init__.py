"""Running turns: queued, asked for, permitted, written down, recovered after a crash."""
