"""Routes of the Model Context Protocol: servers that Recto uses, and Recto as one."""
