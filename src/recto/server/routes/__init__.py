"""One file per resource. A handler parses, calls a service and presents; nothing more."""
