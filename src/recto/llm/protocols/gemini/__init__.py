"""Google Gemini generateContent. The base address ends with the API version, as in `…/v1beta`.

Provider data: `{"signature": …}` on words, thoughts and calls; in native parts `{"part": {…}}`, a
part kept whole, or `{"continuation": …}` at the end of an answer that stopped with CONTINUATION.
"""

from recto.llm.protocols.gemini.lower import lower
from recto.llm.protocols.gemini.read import GeminiReader, read_whole
from recto.llm.protocols.gemini.read_failures import mend, read_failure
from recto.llm.protocols.gemini.serve import serve
from recto.llm.protocols.gemini.serve_answer import GeminiWriter, write_failure, write_whole
from recto.llm.wire import WireProtocol

PROTOCOL = WireProtocol(
    id="gemini",
    lower=lower,
    reader=GeminiReader,
    read_whole=read_whole,
    read_failure=read_failure,
    mend=mend,
    serve=serve,
    writer=GeminiWriter,
    write_whole=write_whole,
    write_failure=write_failure,
)
