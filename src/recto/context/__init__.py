"""What a model gets to see: the prompt builder, the system prompt, repair and check, cache marks, tokens."""  # noqa: E501 - the first line is shown as one row of a table

from recto.context.blocks import quoted
from recto.context.caching import mark_cache
from recto.context.check import faults
from recto.context.comments import (
    Comment,
    comment_attachment,
    comments_request,
    read_comment_answers,
)
from recto.context.conversation import (
    Attachment,
    CacheRates,
    Checkpoint,
    Conversation,
    ConversationMessage,
    ModelFacts,
    Window,
    since_checkpoint,
    worth_keeping,
)
from recto.context.document import (
    DOCUMENT_TEMPLATE,
    TRANSFORMS,
    DocumentFacts,
    Transform,
    document_meta,
    document_prompt,
    read_passage,
)
from recto.context.ghost import (
    CONTINUATION_TEMPLATE,
    GHOST_TEMPLATE,
    SUGGEST,
    CursorPlace,
    SuggestionReader,
    Way,
    context_hashes,
    continuation_request,
    continued,
    fitted,
    ghost_request,
    is_same,
    suggestions_in,
    text_to_continue,
)
from recto.context.inclusion import (
    MODES,
    InclusionMode,
    ToolInclusion,
    included_tools,
    without_calls,
)
from recto.context.instructions import Instructions, clean_instructions
from recto.context.meta import selection_attachment, workspace_meta
from recto.context.pauses import goes_on, joined
from recto.context.prepare import prepare
from recto.context.prompt import LeftOut, Prompt, PromptSlice, TooLong, build_prompt
from recto.context.receipt import Receipt, receipt
from recto.context.repair import repair
from recto.context.requests import (
    SUMMARY_TEMPLATE,
    TITLE_SYSTEM,
    TITLE_TEMPLATE,
    read_title,
    summary_request,
    title_request,
)
from recto.context.sent_parts import SentPart, sent_parts, text_of, unsent_parts
from recto.context.system_prompt import (
    TEMPLATE,
    SkillDescription,
    SystemParts,
    small_prompt,
    system_prompt,
)
from recto.context.thought_binding import bind, drop_unbound, prompt_hash, without_thoughts
from recto.context.thread import (
    PROPOSE_EDIT,
    THREAD_TEMPLATE,
    ThreadFacts,
    thread_hashes,
    thread_prompt,
)
from recto.context.tokens import TokenCalibration, TokenCounter, tool_text
from recto.context.truncation import beginning

__all__ = [
    "MODES",
    "InclusionMode",
    "ToolInclusion",
    "included_tools",
    "tool_text",
    "without_calls",
    "CONTINUATION_TEMPLATE",
    "DOCUMENT_TEMPLATE",
    "GHOST_TEMPLATE",
    "PROPOSE_EDIT",
    "SUGGEST",
    "SUMMARY_TEMPLATE",
    "TEMPLATE",
    "THREAD_TEMPLATE",
    "TITLE_SYSTEM",
    "TITLE_TEMPLATE",
    "TRANSFORMS",
    "CursorPlace",
    "Attachment",
    "CacheRates",
    "TokenCalibration",
    "Checkpoint",
    "Comment",
    "Conversation",
    "DocumentFacts",
    "Instructions",
    "LeftOut",
    "ModelFacts",
    "Prompt",
    "Receipt",
    "SentPart",
    "SkillDescription",
    "PromptSlice",
    "ConversationMessage",
    "SuggestionReader",
    "SystemParts",
    "ThreadFacts",
    "TokenCounter",
    "TooLong",
    "Transform",
    "Way",
    "Window",
    "bind",
    "beginning",
    "build_prompt",
    "clean_instructions",
    "comment_attachment",
    "comments_request",
    "context_hashes",
    "continuation_request",
    "continued",
    "document_meta",
    "document_prompt",
    "drop_unbound",
    "faults",
    "fitted",
    "ghost_request",
    "goes_on",
    "is_same",
    "joined",
    "mark_cache",
    "prepare",
    "prompt_hash",
    "quoted",
    "read_comment_answers",
    "read_passage",
    "read_title",
    "receipt",
    "repair",
    "selection_attachment",
    "sent_parts",
    "since_checkpoint",
    "small_prompt",
    "suggestions_in",
    "summary_request",
    "system_prompt",
    "text_of",
    "text_to_continue",
    "thread_hashes",
    "thread_prompt",
    "title_request",
    "unsent_parts",
    "without_thoughts",
    "workspace_meta",
    "worth_keeping",
]
