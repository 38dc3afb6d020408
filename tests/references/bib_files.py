"""BibTeX files as people and programs write them, drawn at random."""

import random
from dataclasses import dataclass

TITLES = [
    "Tides, Surges and Mean Sea-Level",
    r"{\"U}ber die {E}lektrodynamik",
    "The {DNA} of {S}tate 100\\%",
    "A line\n   that is broken",
    "潮汐的分析",
    'Quotes {"}inside{"} and a # sign',
    "An e-mail: me@example.org and @article{x} in the text",
    "",
]
NAMES = ["title", "author", "year", "Journal", "DOI", "note", "x-odd.name", "abstract", "month"]
TYPES = ["article", "Book", "INPROCEEDINGS", "online", "misc"]
BETWEEN = [
    "",
    "\n",
    "\n\n",
    "Some words of the user, with 100% odd signs: # ~ ^ and a mail to me@example.org\n",
    "% commented out: @article{never, title = {x}}\n",
    "@comment{jabref-meta: databaseType:bibtex; @book{hidden, title={x}}}\n",
    '@preamble{"\\newcommand{\\noop}[1]{}"}\n',
    '@String{jgr = "Journal of Geophysical Research"}\n',
    "@string(short = {JGR})\n",
    "\t \n",
]
BROKEN = [
    "@article{unclosed, title = {never ends,\n  year = 1999\n",
    "@book{,\n title = {no key}}\n",
    "@misc{odd key, title = {x}}\n",
    "@article(round, title = {x}\n",
    "@{x}\n",
    "@article\n",
]


@dataclass(frozen=True, slots=True)
class DrawnFile:
    """A file, and what is in it."""

    text: str
    entries: tuple[tuple[str, dict[str, str]], ...]
    """Key and values of each entry that is whole."""


def draw_file(seed: int) -> DrawnFile:
    """A file of up to twelve entries."""
    chance = random.Random(seed)
    pieces: list[str] = []
    entries: list[tuple[str, dict[str, str]]] = []
    for number in range(chance.randrange(1, 12)):
        pieces.append(chance.choice(BETWEEN))
        if chance.random() < 0.2:
            pieces.append("\n" + chance.choice(BROKEN))
        key = f"{chance.choice(['smith', 'Müller', '王', 'DBLP:conf/x', 'o.b+c'])}{number}"
        text, values = draw_entry(chance, key)
        pieces.append("\n" + text)
        entries.append((key, values))
    pieces.append(chance.choice(BETWEEN))
    text = "".join(pieces)
    if chance.random() < 0.2:
        text = text.replace("\n", "\r\n")
        entries = [
            (key, {name: value.replace("\n", "\r\n") for name, value in values.items()})
            for key, values in entries
        ]
    return DrawnFile(text, tuple(entries))


def draw_entry(chance: random.Random, key: str) -> tuple[str, dict[str, str]]:
    """An entry, and its values."""
    names = chance.sample(NAMES, chance.randrange(0, len(NAMES)))
    lead = chance.choice(["\n  ", "\n\t", " ", "\n", "\n    % a remark, not a field\n  "])
    equals = chance.choice([" = ", "=", "   =  ", " =\n   "])
    opening, closing = chance.choice([("{", "}"), ("{", "}"), ("(", ")")])
    values: dict[str, str] = {}
    fields: list[str] = []
    for name in names:
        text, values[name.lower()] = draw_value(chance, name)
        fields.append(f"{lead}{name}{equals}{text}")
    after = chance.choice(["", ",", "\n", ",\n"])
    start = f"@{chance.choice(TYPES)}{chance.choice(['', ' '])}{opening}{chance.choice(['', ' '])}"
    body = f"{key},{','.join(fields)}" if fields else key
    return f"{start}{body}{after if fields else ''}{closing}", values


def draw_value(chance: random.Random, name: str) -> tuple[str, str]:
    """A value as it is written, and what it says."""
    title = chance.choice(TITLES)
    if name == "month":
        return 'jan # "~1"', "January~1"
    if name == "year":
        year = str(chance.randrange(1700, 2026))
        return chance.choice([(year, year), (f"{{{year}}}", year), (f'"{year}"', year)])
    match chance.randrange(4):
        case 0:
            return f'"{title}"', title
        case 1:
            return f'{{{title}}} # " and " # {{more}}', f"{title} and more"
        case 2:
            deep = "{" * 8 + title + "}" * 8
            return f"{{{deep}}}", deep
        case _:
            return f"{{{title}}}", title
