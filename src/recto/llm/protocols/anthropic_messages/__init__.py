"""Anthropic Messages: POST /v1/messages.

Provider data of ours, all of it sent back only over this protocol and to the same account:
`{"signature": …}` or `{"redacted": …}` on thoughts, and only to the same model;
`{"citations": […]}` on words; `{"caller": …, "toolset_name": …}` on calls, where given;
`{"block": {…}}` in a native part: a block of a kind of the API's own, whole.
"""

from recto.llm.protocols.anthropic_messages.lower import lower
from recto.llm.protocols.anthropic_messages.read import MessagesReader, read_whole
from recto.llm.protocols.anthropic_messages.read_failure import mend, read_failure
from recto.llm.protocols.anthropic_messages.serve import serve
from recto.llm.protocols.anthropic_messages.write import MessagesWriter
from recto.llm.protocols.anthropic_messages.write_message import (
    PROTOCOL_ID,
    write_failure,
    write_whole,
)
from recto.llm.wire import WireProtocol

PROTOCOL = WireProtocol(
    id=PROTOCOL_ID,
    lower=lower,
    reader=MessagesReader,
    read_whole=read_whole,
    read_failure=read_failure,
    mend=mend,
    serve=serve,
    writer=MessagesWriter,
    write_whole=write_whole,
    write_failure=write_failure,
)
