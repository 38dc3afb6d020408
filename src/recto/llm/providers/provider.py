"""What a provider is: plain data, and the endpoint that follows from it and a key."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recto.llm.endpoint import Endpoint, HiddenKey, KeyHeader
from recto.llm.protocol_loader import load_protocol


@dataclass(frozen=True, slots=True)
class Provider:
    """Somebody who runs models. What settings name differently is changed with `replace`."""

    id: str
    """Its name in settings, such as anthropic."""
    name: str
    url: str
    """The base address, with the version where the protocol leaves that open, as Gemini does."""
    protocol: str
    """The wire protocol's id."""
    key_name: str | None = None
    """The key it needs, as named in the environment; None if it needs none."""
    other_key_names: tuple[str, ...] = ()
    """What others call the same key; taken where `key_name` is not set."""
    key_header: KeyHeader = KeyHeader()
    is_local: bool = False
    """It runs on this machine, at no cost."""
    speaks: tuple[str, ...] = ()
    """Other protocols that it can be spoken to in at the same address, with the same key."""
    models_path: str = "/v1/models"
    """Where it lists its models."""
    key_path: str = ""
    """Where a key can be tried; empty where the list of models wants one anyway."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """What every call to it must carry, also where no protocol writes it."""

    @property
    def key_names(self) -> tuple[str, ...]:
        """Every name its key may have, the one that wins first."""
        return (self.key_name, *self.other_key_names) if self.key_name else ()

    def endpoint(self, key: HiddenKey | None = None) -> Endpoint:
        """How it is called with a key."""
        return Endpoint(
            self.id,
            self.url,
            load_protocol(self.protocol),
            key=key,
            key_header=self.key_header,
            headers=self.headers,
        )
