"""Word's file format as it is read: the zip package, its parts and their XML, paragraphs."""
