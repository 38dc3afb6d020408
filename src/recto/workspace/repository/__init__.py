"""The repository of the folder, as people work with it: changes, staging, commits, history.

Everything runs on the skeleton of `git`: no hook, filter, text conversion or signing program.
"""
