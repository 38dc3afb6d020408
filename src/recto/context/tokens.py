"""How many tokens something takes, before it is sent: a real tokenizer, corrected per model.

Other models cut text differently, and most of all text in other scripts, so what they report
corrects the count for each of the two.
"""

from dataclasses import dataclass, field
from hashlib import blake2b
from json import dumps

from recto.messages import (
    Document,
    Image,
    Message,
    Native,
    Part,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    ToolSpec,
    encodable,
    fold_all,
)
from recto.tokenizer import Count, tokenize

MESSAGE_TOKENS = 4
IMAGE_TOKENS = 1600
BYTES_A_DOCUMENT_TOKEN = 20
STEP = 0.3
SHORTEST = 50
LEAST, MOST = 0.25, 4.0
LEAST_CHANGE = 0.02
"""A factor that is off by less is used as it is: single prompts vary by more."""
MOST_KNOWN = 200_000

LONGEST_SHORT = 1000
MOST_SHORT = 50_000

SHORT: dict[str, Count] = {}
"""The counts of short texts: a conversation has most of them, and their hashes cost more."""
KNOWN: dict[bytes, Count] = {}
"""The counts of texts by their hash: conversations are counted again for every request."""
Factors = tuple[float, float]
"""What a count of ASCII and a count of other text are multiplied by."""
NEUTRAL: Factors = (1.0, 1.0)


@dataclass(slots=True)
class TokenCalibration:
    """How far each model's own count lies from ours, learned from what it reported."""

    factors: dict[str, Factors] = field(default_factory=dict[str, Factors])
    """What is counted with: it follows what was learned in steps, since each other factor has every
    count of a conversation made anew."""
    _learned: dict[str, Factors] = field(default_factory=dict[str, Factors])

    def apply(self, count: Count, model: str) -> int:
        """A count as the model would give it."""
        plain, other = self.factors.get(model, NEUTRAL)
        return round(count.ascii * plain + count.other * other)

    def learn(self, model: str, count: Count, reported: int) -> None:
        """Take in one report. Short prompts say little about text, so they are left out.

        Each factor takes its share of the error, by how much of the prompt it answers for.
        """
        if count.total < SHORTEST or reported < SHORTEST:
            return
        used = self.factors.get(model, NEUTRAL)
        known = self._learned.get(model, used)
        # A provider that reports nonsense once must not spoil the counts of all later requests.
        told = min(max(reported, LEAST * count.total), MOST * count.total)
        missed = told - (count.ascii * known[0] + count.other * known[1])
        # The first report is taken whole, later ones in part: single prompts vary.
        step = missed / (count.ascii**2 + count.other**2) * (STEP if model in self.factors else 1.0)
        learned = clamped(known[0] + step * count.ascii), clamped(known[1] + step * count.other)
        self._learned[model] = learned
        is_off = any(
            abs(new - old) > LEAST_CHANGE * old for new, old in zip(learned, used, strict=True)
        )
        if is_off or model not in self.factors:
            self.factors[model] = learned


def clamped(factor: float) -> float:
    """A factor that can be true."""
    return min(max(factor, LEAST), MOST)


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts texts and whole requests."""

    calibration: TokenCalibration

    def text(self, text: str, model: str = "") -> int:
        """The tokens of a text, as `model` would count them."""
        return self.calibration.apply(count_text(text), model)

    def request(self, request: Request, model: str = "") -> int:
        """The tokens of everything a request sends."""
        return self.calibration.apply(count_request(request), model)

    def part(self, part: Part, model: str = "") -> int:
        """The tokens of one part of a message."""
        return self.calibration.apply(count_part(part), model)

    def learn(self, model: str, request: Request, reported: int) -> None:
        """Take in what a model said a request was."""
        self.calibration.learn(model, count_request(request), reported)


def count_text(text: str) -> Count:
    """The tokens of a text by our own vocabulary. A text is cut into tokens only once."""
    known = SHORT.get(text)
    if known is None:
        known = count_by_hash(text)
        if len(text) <= LONGEST_SHORT:
            if len(SHORT) >= MOST_SHORT:
                SHORT.clear()
            SHORT[text] = known
    return known


def count_by_hash(text: str) -> Count:
    """The same, without a copy of the text being kept."""
    raw = text.encode("utf-8", "surrogatepass")
    key = blake2b(raw, digest_size=16).digest()
    known = KNOWN.get(key)
    if known is None:
        if len(KNOWN) >= MOST_KNOWN:
            # All at once: simpler than an order of use, and counted again in no time.
            KNOWN.clear()
        known = KNOWN[key] = tokenize(encodable(text))
    return known


def count_request(request: Request) -> Count:
    """The tokens of a request by our own vocabulary."""
    texts = [request.system, *(tool_text(tool) for tool in request.tools if not tool.deferred)]
    messages = fold_all(request.messages, "tokens", CountedMessages).count
    return sum(map(count_text, texts), messages)


class CountedMessages:
    """The tokens of the messages so far."""

    def __init__(self, count: Count | None = None) -> None:
        self.count = count or Count()

    def take(self, message: Message) -> None:
        """Count the next message."""
        self.count += count_message(message)

    def copy(self) -> "CountedMessages":
        """The same count."""
        return CountedMessages(self.count)


def count_message(message: Message) -> Count:
    """The tokens of one message."""
    counts = [count_part(part) for part in message.parts]
    return Count(
        MESSAGE_TOKENS + sum(count.ascii for count in counts), sum(count.other for count in counts)
    )


def count_part(part: Part) -> Count:
    """The tokens of one part. What only a provider can read counts by its size."""
    match part:
        case Text() | Thinking():
            count = count_text(part.text)
            return count if part.provider is None else count + count_opaque(part)
        case Image():
            return Count(IMAGE_TOKENS)
        case Document():
            return Count(len(part.data) // BYTES_A_DOCUMENT_TOKEN + 1)
        case ToolCall():
            arguments = dumps(dict(part.arguments), default=str, ensure_ascii=False)
            return count_text(encodable(part.name + arguments))
        case ToolResult():
            return sum((count_part(item) for item in part.content), Count(MESSAGE_TOKENS))
        case Native():
            return count_opaque(part)


def count_opaque(part: Text | Thinking | Native) -> Count:
    """A rough size of provider data: signatures are sent, but hardly read."""
    if part.provider is None:
        return Count()
    return Count(len(dumps(dict(part.provider.payload), default=str)) // 8)


def tool_text(tool: ToolSpec) -> str:
    """A tool as a model reads it."""
    return f"{tool.name} {tool.description} {dumps(dict(tool.parameters), default=str)}"
