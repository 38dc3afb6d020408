"""Makes a suggestion fit its place: nothing said twice, white space right, at most a few lines.

A repeat is an end of the text before the cursor that the suggestion begins with, from where a word
starts; or a start of the text after it that the suggestion ends with, up to where a word ends.
"""

import re
import unicodedata
from collections.abc import Iterator

MOST_LINES = 6
MOST_CHARACTERS = 600
REACH = 1_000
"""Nobody repeats more than this."""
BLANKS = " \t\u00a0"
WORD = re.compile(r"\w+")
OPENERS, CLOSERS = "([{", ")]}"
TAGS = re.compile(r"</?(?:prefix|suffix|cursor)(?:-\d+)?(?: cut=\"yes\")?/?>")
MARKS = ",;:.!?"
SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*(?=\s)")


def fitted(suggestion: str, before: str, after: str, *, is_prose: bool = True) -> str:
    """A suggestion as it can be put between two texts; empty when nothing of it is left."""
    text = TAGS.sub("", cleaned(suggestion))
    text = shortened(text, is_in_line=bool(after.partition("\n")[0].strip()))
    was = None
    while was != text:
        was = text
        text = with_space_before(without_repeat_before(text, before), before, is_prose=is_prose)
        text = with_space_after(without_repeat_after(text, after), after)
    return text if text.strip() else ""


def is_same(one: str, two: str) -> bool:
    """Whether two suggestions say the same to somebody who reads them."""
    return one.casefold().split() == two.casefold().split()


def whole_words(text: str) -> str:
    """A text that broke off, up to its last sentence, else its last word that is surely whole."""
    ends = [found.end() for found in SENTENCE_END.finditer(text)]
    return text[: ends[-1]] if ends else text.rstrip().rpartition(" ")[0]


def cleaned(text: str) -> str:
    """The text with one kind of line end and without signs that nobody can see."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(
        character
        for character in text
        if character in "\n\t" or unicodedata.category(character) != "Cc"
    )


def shortened(text: str, *, is_in_line: bool) -> str:
    """The first lines. Where a line goes on after the cursor, only the first one."""
    text = "\n".join(text.split("\n")[: 1 if is_in_line else MOST_LINES])
    if len(text) <= MOST_CHARACTERS:
        return text
    head = text[:MOST_CHARACTERS]
    ends = [found.end() for found in SENTENCE_END.finditer(head)]
    return head[: ends[-1]] if ends else (head.rpartition(" ")[0] or head).rstrip()


def without_repeat_before(text: str, before: str) -> str:
    """The text without what it repeats of the end of the text before."""
    for length in range(min(len(text), len(before), REACH), 0, -1):
        if before.endswith(text[:length]) and is_repeat_before(text[:length], before):
            return text[length:]
    length = words_repeated(text, before)
    return text[length:]


def is_repeat_before(repeated: str, before: str) -> bool:
    """Whether it holds a word, and begins where one begins."""
    joins = before[: -len(repeated)][-1:] + repeated[:1]
    return has_word(repeated) and not (len(joins) == 2 and is_word(joins[0]) and is_word(joins[1]))


def words_repeated(text: str, before: str) -> int:
    """How much of a text is the last words of the line before it, whatever is between them."""
    line = before[before.rfind("\n") + 1 :][-REACH:]
    last = [found.group().casefold() for found in WORD.finditer(line)]
    if not last or not WORD.match(text.lstrip(BLANKS)):
        return 0
    first: list[re.Match[str]] = []
    best = 0
    for found in WORD.finditer(text):
        first.append(found)
        words = [item.group().casefold() for item in first]
        if len(words) > len(last):
            break
        is_end = last[-len(words) :] == words
        is_exact = line.rstrip(BLANKS).endswith(found.group())
        if is_end and (len(words) > 1 or is_exact):
            best = found.end()
    mark = WORD.split(line)[-1].strip(BLANKS)
    return best + len(mark) if best and mark and text.startswith(mark, best) else best


def without_repeat_after(text: str, after: str) -> str:
    """The text without what it repeats of the start of the text after."""
    for length in range(min(len(text), len(after), REACH), 0, -1):
        if after.startswith(text[-length:]) and is_repeat_after(text, length, after):
            return text[:-length]
    return text


def is_repeat_after(text: str, length: int, after: str) -> bool:
    """Whether it holds a word and ends where one ends; or closes what the text did not open."""
    repeated = text[-length:]
    if has_word(repeated):
        joins = repeated[-1:] + after[length : length + 1]
        return not (len(joins) == 2 and is_word(joins[0]) and is_word(joins[1]))
    if not repeated.strip():
        return False
    return repeated[-1] not in CLOSERS or min(depths(text)) < 0


def depths(text: str) -> Iterator[int]:
    """How many brackets are open after each letter; less than none where one was not opened."""
    depth = 0
    for letter in text:
        depth += (letter in OPENERS) - (letter in CLOSERS)
        yield depth


def with_space_before(text: str, before: str, *, is_prose: bool) -> str:
    """The text beginning with no second blank or third line end, and with a blank after a comma."""
    if not before:
        return text.lstrip()
    if before[-1] in BLANKS:
        return text.lstrip(BLANKS)
    if before.endswith("\n\n"):
        return text.lstrip("\n")
    return f" {text}" if is_prose and needs_space(before, text) else text


def needs_space(before: str, text: str) -> bool:
    """Whether a word follows a mark that ends one: not in `3.5` or `10:30`, nor in an address."""
    if before[-1] not in MARKS or not text[:1].isalpha() or not before[-2:-1].isalpha():
        return False
    return before[-1] != "." or text[0].isupper()


def with_space_after(text: str, after: str) -> str:
    """The text without white space at its end, but for the blank between two words."""
    bare = text.rstrip()
    if bare and after and is_word(bare[-1]) and is_word(after[0]):
        return f"{bare} " if text != bare else text
    return bare


def has_word(text: str) -> bool:
    """Whether there is a letter or a digit in it."""
    return any(is_word(character) for character in text)


def is_word(letter: str) -> bool:
    """Whether words are made of it."""
    return letter.isalnum() or letter == "_"
