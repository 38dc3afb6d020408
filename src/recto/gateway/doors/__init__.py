"""The doors: four protocols of clients, each to any provider's, relayed or translated."""
