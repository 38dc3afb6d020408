"""Reading a citation that no service has a record of: one small question to a cheap model."""

import json
import re
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, cast

from recto.access import BUILTIN, Models
from recto.assist.questions import NoModelAvailable, Questions
from recto.context import CITATION_SYSTEM, CITATION_TEMPLATE, citation_request
from recto.messages import Failure, Finished, Request

LONGEST_ANSWER = 1000
WORD = re.compile(r"[^\W_]+")
PLAIN = {
    "container": "container-title",
    "publisher": "publisher",
    "volume": "volume",
    "issue": "issue",
    "pages": "page",
    "doi": "DOI",
    "url": "URL",
}
TYPES = frozenset(
    {
        "article-journal",
        "book",
        "chapter",
        "paper-conference",
        "thesis",
        "report",
        "webpage",
        "article",
    }  # fmt: skip
)
UNSURE = "a model is not sure what the text says"


class CitationReader:
    """Has the cheapest model of the provider that chats use read citations."""

    def __init__(self, questions: Questions, models: Models) -> None:
        self._questions = questions
        self._models = models

    async def read(self, text: str) -> dict[str, Any] | str:
        """The work as an item of CSL-JSON, or in words why there is none."""
        try:
            asked = self._questions.find("")
        except NoModelAvailable:
            return "no model can be asked to read the text"
        if asked.provider.id == BUILTIN.id:
            return "the built-in model is too small to read citations"
        access = self._models.cheapest(asked.provider.id) or asked
        request = Request(
            model=access.model,
            messages=(citation_request(text),),
            max_output=LONGEST_ANSWER,
            system=CITATION_SYSTEM,
            effort="off",
        )
        events = self._questions.ask(
            access, request, feature="references", template=CITATION_TEMPLATE
        )
        answer, failure = "", None
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Finished):
                    answer, failure = event.message.text, event.failure
        if failure is not None:
            return why(failure)
        return read_answer(answer, text)


def why(failure: Failure) -> str:
    """Why a model gave no answer, as part of a sentence."""
    if failure.kind == "budget":
        return f"a model could read the text, but the budget does not allow it: {failure.message}"
    return f"a model was asked to read the text and failed: {failure.message}".rstrip(".")


def read_answer(answer: str, text: str) -> dict[str, Any] | str:
    """A model's answer as an item, if it is sure and says nothing that the text does not."""
    start, end = answer.find("{"), answer.rfind("}")
    try:
        found: object = json.loads(answer[start : end + 1])
    except (ValueError, RecursionError):
        return UNSURE
    if not isinstance(found, dict):
        return UNSURE
    told = cast("dict[str, Any]", found)
    title = told.get("title")
    if told.get("sure") is not True or not isinstance(title, str):
        return UNSURE
    people = names_of(told.get("authors"))
    said = " ".join([title, *(name for person in people for name in person.values())])
    # Whatever stands in no word of the text was made up.
    if not title.strip() or not words(said) <= words(text):
        return UNSURE
    year = told.get("year")
    kind = told.get("type")
    item: dict[str, Any] = {
        "type": kind if kind in TYPES else "article",
        "title": title.strip(),
        "author": people,
    }
    if isinstance(year, int) and str(year) in text:
        item["issued"] = {"date-parts": [[year]]}
    for name, csl in PLAIN.items():
        value = told.get(name)
        if isinstance(value, str | int) and str(value).strip() and words(str(value)) <= words(text):
            item[csl] = str(value).strip()
    return {name: value for name, value in item.items() if value}


def names_of(value: object) -> list[dict[str, str]]:
    """The people that a model read."""
    people: list[dict[str, str]] = []
    for row in cast("list[object]", value) if isinstance(value, list) else []:
        if not isinstance(row, dict):
            continue
        told = cast("Mapping[str, Any]", row)
        parts = {name: told.get(name) for name in ("family", "given", "literal")}
        person = {name: text for name, text in parts.items() if isinstance(text, str) and text}
        if "family" in person or "literal" in person:
            people.append(person)
    return people


def words(text: str) -> frozenset[str]:
    """The words of a text, case overlooked."""
    return frozenset(WORD.findall(text.casefold()))
