"""Routes of open documents: texts, notebooks, Word, reviews, threads, references, publishing."""
