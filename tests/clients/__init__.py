"""Real coding clients, unchanged, through a real gateway: `make clients` runs it, no test does."""
