"""What goes wrong with a call over HTTP, and what people are told of it."""

import socket
import ssl
import zlib

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from recto.llm.endpoint import Limit, Timeouts
from recto.llm.http.direct_connection import ConnectTimeout, NotConnected, NotHttp
from recto.llm.http.request_head import BadHeader
from recto.messages import FailureKind

FAULTS = (aiohttp.ClientError, HttpProcessingError, NotHttp, BadHeader, OSError, zlib.error)
CERTIFICATE_FAULTS = (aiohttp.ClientSSLError, ssl.SSLError)


def explain_fault(
    fault: BaseException, host: str, timeouts: Timeouts, limit: Limit
) -> tuple[FailureKind, str]:
    """What a fault means. Its own words may hold the address, and are never told."""
    match fault:
        case zlib.error():
            return "upstream", f"{host} sent an answer that can't be unpacked."
        case aiohttp.ServerTimeoutError() | ConnectTimeout():
            return "timeout", f"No connection to {host} within {timeouts.connect_s:g} s."
        case TimeoutError():
            return "timeout", f"{host} {timeouts.words(limit)}"
        case aiohttp.ClientHttpProxyError() | aiohttp.ClientProxyConnectionError():
            return "network", f"The proxy did not connect to {host}. Check HTTPS_PROXY."
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return "network", (
                f"The certificate of {host} is not trusted. If your network has its own, "
                "name its file in SSL_CERT_FILE."
            )
        case aiohttp.ClientConnectorDNSError() | socket.gaierror():
            return "network", f"The name {host} can't be found. Check your connection."
        case aiohttp.ClientConnectorError() | NotConnected():
            return "network", f"Nothing answers at {host}. Check that it runs."
        case aiohttp.ClientResponseError() | HttpProcessingError() | NotHttp():
            return "upstream", f"{host} answered with something that is not HTTP."
        case BadHeader():
            return "invalid_request", "A header holds signs that no header may hold."
        case _:
            return "network", f"The connection to {host} was lost."
