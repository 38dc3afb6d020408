"""The stores of a gateway: who may call, how often, and what it knows of deployments."""
