"""The providers Recto knows by name, one value each. Addresses of others come from settings."""

from recto.llm.endpoint import KeyHeader
from recto.llm.providers.provider import Provider

ANTHROPIC = Provider(
    id="anthropic",
    name="Anthropic",
    url="https://api.anthropic.com",
    protocol="anthropic-messages",
    key_name="ANTHROPIC_API_KEY",
    key_header=KeyHeader("x-api-key", ""),
    headers={"anthropic-version": "2023-06-01"},
)
OPENAI = Provider(
    id="openai",
    name="OpenAI",
    url="https://api.openai.com",
    protocol="openai-responses",
    key_name="OPENAI_API_KEY",
    speaks=("openai-responses", "openai-chat"),
)
GOOGLE = Provider(
    id="google",
    name="Google",
    url="https://generativelanguage.googleapis.com/v1beta",
    protocol="gemini",
    key_name="GEMINI_API_KEY",
    # The name that Google's own clients look for, too; it often is the key of another service.
    other_key_names=("GOOGLE_API_KEY",),
    # Never as ?key= in the address, which ends up in logs.
    key_header=KeyHeader("x-goog-api-key", ""),
    models_path="/v1beta/models",
)
OPENROUTER = Provider(
    id="openrouter",
    name="OpenRouter",
    url="https://openrouter.ai/api",
    protocol="openai-chat",
    key_name="OPENROUTER_API_KEY",
    # Anybody may read its list of models, so that a wrong key would pass.
    key_path="/v1/key",
)
OLLAMA = Provider(
    id="ollama",
    name="Ollama",
    url="http://127.0.0.1:11434",
    protocol="openai-chat",
    is_local=True,
)
LM_STUDIO = Provider(
    id="lmstudio",
    name="LM Studio",
    url="http://127.0.0.1:1234",
    protocol="openai-chat",
    is_local=True,
)
VLLM = Provider(
    id="vllm",
    name="vLLM",
    url="http://127.0.0.1:8000",
    protocol="openai-chat",
    is_local=True,
)
LLAMA_CPP = Provider(
    id="llamacpp",
    name="llama.cpp",
    url="http://127.0.0.1:8080",
    protocol="openai-chat",
    is_local=True,
)

PROVIDERS = {
    item.id: item
    for item in (ANTHROPIC, OPENAI, GOOGLE, OPENROUTER, OLLAMA, LM_STUDIO, VLLM, LLAMA_CPP)
}


def compatible(
    provider_id: str, url: str, *, protocol: str = "openai-chat", key_name: str | None = None
) -> Provider:
    """Any other server that speaks one of the protocols, at an address the user names."""
    header = next(
        (provider.key_header for provider in PROVIDERS.values() if provider.protocol == protocol),
        None,
    )
    return Provider(
        id=provider_id,
        name=provider_id,
        url=url,
        protocol=protocol,
        key_name=key_name,
        key_header=header or KeyHeader(),
    )
