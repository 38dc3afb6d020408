"""A document as a page that a person sees and edits."""
