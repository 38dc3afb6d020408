"""References as a model reads them."""

from recto.references import Reference

LONGEST_ABSTRACT = 2000


def line_of(reference: Reference) -> str:
    """One line: what it takes to choose a reference, and to cite it."""
    who = reference.who or "nobody named"
    where = f" {reference.container}." if reference.container else ""
    return f"@{reference.key}: {who}, {reference.year or 'no year'}. {reference.title}.{where}"


def whole(reference: Reference, path: str, *, read_only: bool) -> str:
    """Everything that the library says of one."""
    rows = [f"@{reference.key} ({reference.type}), in {path}{' (read-only)' if read_only else ''}"]
    for name, value in reference.fields.items():
        is_long = name == "abstract" and len(value) > LONGEST_ABSTRACT
        rows.append(f"{name}: {value[:LONGEST_ABSTRACT] + ' …' if is_long else value}")
    if reference.missing:
        rows.append(f"missing: {', '.join(reference.missing)}")
    return "\n".join(rows)
