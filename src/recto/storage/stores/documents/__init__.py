"""The stores of what is written: updates of documents, edits, notes, proposals, suggestions."""
