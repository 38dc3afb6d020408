"""Drafts to be published."""

import base64

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SECRET = "Xyzzy-4711-plugh"


def library_of(works: int) -> str:
    """A library of so many books."""
    return "".join(
        f"@book{{work{number}, author={{Writer{number}, Anna}}, title={{Volume {number}}},"
        f" publisher={{Sea Press}}, year={1950 + number}}}\n"
        for number in range(works)
    )


def cited_draft(works: int) -> str:
    """A draft that cites each of them, with a figure, a table and formulas."""
    cited = "\n\n".join(f"Claim {number} [@work{number}, p. {number}]." for number in range(works))
    return f"""---
title: Tides
author: A. Writer
csl: apa
---

# Introduction

We see @fig:gauge, @tbl:len, @eq:sum, and $x^2$.

![A gauge](gauge.png){{#fig:gauge width=10%}}

| a | b |
|---|---|
| 1 | 2 |

: Lengths of records. {{#tbl:len}}

$$h(t) = \\sum_k A_k$$ {{#eq:sum}}

{cited}
"""
