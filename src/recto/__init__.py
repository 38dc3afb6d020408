"""Recto: an AI workspace for a folder of documents, code and notebooks."""
