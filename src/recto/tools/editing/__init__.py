"""Finding the passage that a model means, and replacing it and nothing else."""
