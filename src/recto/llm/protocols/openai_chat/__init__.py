"""OpenAI Chat Completions, and the many servers that speak it.

Provider data: a thinking part carries {"field": "reasoning_content" | "reasoning"}, the field its
words came in, OpenRouter's {"details": […]} and Mistral's {"part": …}; a call carries
{"extra_content": …}. Details, parts and extra content go back to the same model unchanged.
"""

from recto.llm.protocols.openai_chat.lower import lower
from recto.llm.protocols.openai_chat.read import ChatReader, read_whole
from recto.llm.protocols.openai_chat.read_failure import elsewhere, mend, read_failure
from recto.llm.protocols.openai_chat.serve import serve
from recto.llm.protocols.openai_chat.serve_answer import ChatWriter, write_failure, write_whole
from recto.llm.wire import WireProtocol

PROTOCOL = WireProtocol(
    id="openai-chat",
    lower=lower,
    reader=ChatReader,
    read_whole=read_whole,
    read_failure=read_failure,
    mend=mend,
    serve=serve,
    writer=ChatWriter,
    write_whole=write_whole,
    write_failure=write_failure,
    elsewhere=elsewhere,
)
