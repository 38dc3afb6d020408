"""What other programs do in a folder: the tools they are offered, and a record of every change."""
