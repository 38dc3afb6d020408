"""What a turn's requests are made of: the folder, tools, attachments, the subject."""
