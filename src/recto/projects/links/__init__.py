"""Links between the texts of a folder: found, resolved, counted, and kept right when files move."""
