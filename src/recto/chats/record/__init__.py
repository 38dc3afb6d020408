"""The record of a run beyond its history: what it stood on and drew, and running it again from that."""  # noqa: E501
