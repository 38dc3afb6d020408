"""Files as a model reads them: numbered lines, pictures, and text out of other formats."""
