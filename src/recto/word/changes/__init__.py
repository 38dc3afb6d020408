"""Changes to a document, tracked as Word tracks them: text, paragraphs, comments, merging."""
