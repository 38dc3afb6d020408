"""Routes of models: keys, own servers, models of this computer, the gateway, what they cost."""
