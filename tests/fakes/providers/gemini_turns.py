"""The rules of Gemini conversations: contents, parts, function turns, signatures."""

import base64
from dataclasses import dataclass
from typing import Any

from tests.fakes.providers.gemini_shapes import DATA, bad
from tests.fakes.providers.models import Gemini
from tests.fakes.providers.openai_errors import decodes
from tests.fakes.providers.shapes import objects
from tests.fakes.providers.signatures import Claim, digest, issue, open_token

DUMMY = "skip_thought_signature_validator"
DUMMIES = {DUMMY, base64.b64encode(DUMMY.encode()).decode()}
MIME = ("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf")
RESULT_MIME = ("image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain")

Content = dict[str, Any]


def parts_of(content: Content, kind: str) -> list[dict[str, Any]]:
    """The parts of a content that hold one kind of data."""
    return [part for part in objects(content.get("parts")) if kind in part]


def check_contents(contents: list[Content], row: Gemini) -> list[str]:
    """Refuse what the API refuses about a conversation; tell what it lets pass."""
    if not contents:
        raise bad("* GenerateContentRequest.contents: contents is not specified")
    for index, content in enumerate(contents):
        _check_content(content, index, row)
    if contents[0].get("role", "user") != "user":
        raise bad("Please ensure that multiturn requests begin with a user role.")
    if contents[-1].get("role", "user") != "user":
        raise bad(
            "Please ensure that multiturn requests end with a user role or a function response."
        )
    return _check_functions(contents)


def _check_content(content: Content, index: int, row: Gemini) -> None:
    if content.get("role", "user") not in {"user", "model"}:
        raise bad("Please use a valid role: user, model.")
    parts = objects(content.get("parts"))
    where = f"contents[{index}]"
    if not parts:
        raise bad(f"* GenerateContentRequest.{where}.parts: contents.parts must not be empty.")
    for at, part in enumerate(parts):
        _check_part(part, f"{where}.parts[{at}]", row)
    if parts == [{"text": ""}]:
        raise bad(f"* GenerateContentRequest.{where}: must have a text parameter that is not empty")


def _check_part(part: dict[str, Any], where: str, row: Gemini) -> None:
    held = [key for key in DATA if key in part]
    if not held:
        raise bad(
            f"* GenerateContentRequest.{where}.data: required oneof field 'data' must have one"
            " initialized field"
        )
    if len(held) > 1:
        raise bad(
            f"Invalid value at '{where}' (oneof), oneof field 'data' is already set."
            f" Cannot set '{held[1]}'"
        )
    if "inlineData" in part:
        _check_blob(part["inlineData"], (*MIME, "text/", "audio/", "video/"))
    if "functionResponse" in part:
        inner = objects(part["functionResponse"].get("parts"))
        if inner and not row.needs_signatures:
            raise bad("Multimodal function responses are not supported by this model.")
        for item in inner:
            if "inlineData" in item:
                _check_blob(item["inlineData"], RESULT_MIME)


def _check_blob(blob: dict[str, Any], accepted: tuple[str, ...]) -> None:
    if not blob["mimeType"].startswith(accepted):
        raise bad(f"Unsupported MIME type: {blob['mimeType']}")
    if not decodes(blob["data"].translate(str.maketrans("-_", "+/"))):
        raise bad("Invalid value at 'inline_data.data' (TYPE_BYTES), Base64 decoding failed")


def _check_functions(contents: list[Content]) -> list[str]:
    notes: list[str] = []
    for index, content in enumerate(contents):
        wanted = parts_of(content, "functionCall")
        given = parts_of(content, "functionResponse")
        before = contents[index - 1] if index else {}
        after = contents[index + 1] if index + 1 < len(contents) else {}
        _check_roles(content, wanted, given)
        if wanted and before.get("role", "user") != "user":
            raise bad(
                "Please ensure that function call turn comes immediately after a user turn or after"
                " a function response turn."
            )
        answers = parts_of(after, "functionResponse")
        if wanted and len(answers) != len(wanted):
            raise bad(
                "Please ensure that the number of function response parts is equal to the number"
                " of function call parts of the function call turn."
            )
        if given and not parts_of(before, "functionCall"):
            raise bad(
                "Please ensure that function response turn comes immediately after a function call"
                " turn."
            )
        notes += _check_pairs(wanted, answers) if wanted else []
        if given and len(given) != len(objects(content.get("parts"))):
            notes.append(f"contents[{index}]: function responses beside other parts")
    return notes


def _check_roles(content: Content, wanted: list[Any], given: list[Any]) -> None:
    role = content.get("role", "user")
    if wanted and role != "model":
        raise bad("Please ensure that function call parts are in a model turn.")
    if given and role != "user":
        raise bad("Please ensure that function response parts are in a user turn.")


def _check_pairs(wanted: list[dict[str, Any]], answers: list[dict[str, Any]]) -> list[str]:
    calls = [part["functionCall"] for part in wanted]
    results = [part["functionResponse"] for part in answers]
    if sorted(item["name"] for item in calls) != sorted(item["name"] for item in results):
        raise bad("Please ensure that function response names match the function call names.")
    ids = {item["id"] for item in calls if "id" in item}
    for result in results:
        if "id" in result and result["id"] not in ids:
            raise bad(f"Function response id '{result['id']}' does not match any function call id.")
    notes: list[str] = []
    for call, result in zip(calls, results, strict=True):
        if "id" in call and "id" not in result:
            notes.append(f"the id of {call['name']} was not echoed")
        if call["name"] != result["name"] or call.get("id") != result.get("id", call.get("id")):
            notes.append(f"the result of {call['name']} is out of order")
    return notes


@dataclass(frozen=True, slots=True)
class Signer:
    """Issues and checks the thought signatures of one account and model."""

    model: str
    account: str
    row: Gemini

    def sign(self, part: dict[str, Any]) -> str:
        """A signature for a part."""
        kind, content = _signed(part)
        return issue(Claim("gemini", kind, self.model, self.account, digest(content)))

    def check(self, contents: list[Content]) -> list[str]:
        """Refuse signatures that don't hold, and missing ones in the current turn."""
        notes: list[str] = []
        for index, content in enumerate(contents):
            for at, part in enumerate(objects(content.get("parts"))):
                token = part.get("thoughtSignature")
                if token is not None:
                    notes += self._check_one(part, token, f"contents[{index}].parts[{at}]")
        if self.row.needs_signatures:
            self._check_current(contents)
        return notes

    def _check_one(self, part: dict[str, Any], token: str, where: str) -> list[str]:
        if token.translate(str.maketrans("-_", "+/")) in DUMMIES or token in DUMMIES:
            return [f"{where}: dummy signature"]
        claim = open_token(token)
        sound = claim is not None and claim.provider == "gemini"
        sound = sound and claim is not None and claim.model == self.model
        kind, content = _signed(part)
        if sound and claim and claim.kind == kind and claim.content == digest(content):
            return []
        if not self.row.needs_signatures:
            return [f"{where}: signature not verified"]
        if not sound or kind == "call":
            raise bad("Corrupted thought signature.")
        return [f"{where}: signature moved"]

    def _check_current(self, contents: list[Content]) -> None:
        begin = 0
        for index, content in enumerate(contents):
            only_results = all("functionResponse" in p for p in objects(content.get("parts")))
            if content.get("role", "user") == "user" and not only_results:
                begin = index
        for index, content in enumerate(contents[begin:], begin):
            called = parts_of(content, "functionCall")
            if called and not called[0].get("thoughtSignature"):
                raise bad(
                    "Function call is missing a thought_signature in functionCall parts. This is"
                    " required for tools to work correctly. Additional data, function call"
                    f" `default_api:{called[0]['functionCall']['name']}`, position {index + 1}."
                )


def _signed(part: dict[str, Any]) -> tuple[str, Any]:
    call = part.get("functionCall")
    if call is not None:
        return "call", [call["name"], call.get("args") or {}]
    return "text", part.get("text", "")
