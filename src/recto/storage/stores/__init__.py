"""One store for each kind of record. Methods that change take the `Write` they belong to."""
