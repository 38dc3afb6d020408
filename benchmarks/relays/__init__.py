"""What the gateway is measured with: a model's server, the rivals, and streams."""
