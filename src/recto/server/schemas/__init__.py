"""The JSON that goes in and out of the API, one module for each resource."""
