"""Google's client. Compiling it warns of its own escape sequences, which is no fault of ours."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from google import genai
    from google.genai import errors, types

__all__ = ["errors", "genai", "types"]
