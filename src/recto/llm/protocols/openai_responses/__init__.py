"""The OpenAI Responses API.

Provider data (`payload`) of this protocol:
- of a `Text`: `{"phase"}`, the phase the model gave a message.
- of a `Thinking`: `{"id", "encrypted_content", "summary": [text, …]}` of a reasoning item, and
  `"content": [text, …]` if the server shows thoughts in the open.
- of a `Native`: the whole output item, of a kind that is not read here.
"""

from recto.llm.protocols.openai_responses.lower import lower
from recto.llm.protocols.openai_responses.read import ResponsesReader
from recto.llm.protocols.openai_responses.read_failures import ID, mend, read_failure
from recto.llm.protocols.openai_responses.read_whole import read_whole
from recto.llm.protocols.openai_responses.serve import serve
from recto.llm.protocols.openai_responses.write import ResponsesWriter, write_whole
from recto.llm.protocols.openai_responses.write_failures import write_failure
from recto.llm.wire import WireProtocol

PROTOCOL = WireProtocol(
    id=ID,
    lower=lower,
    reader=ResponsesReader,
    read_whole=read_whole,
    read_failure=read_failure,
    mend=mend,
    serve=serve,
    writer=ResponsesWriter,
    write_whole=write_whole,
    write_failure=write_failure,
)
