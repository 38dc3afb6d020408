"""Where Recto keeps its own files, the settings and the keys, typed."""

from recto.config.failures import ConfigFailure
from recto.config.home import Home, find_home, open_home
from recto.config.keys import Keys, load_keys, save_keys
from recto.config.preferences import Preferences, PreferencesChanged
from recto.config.running_server import (
    HomeClaim,
    HomeTaken,
    RunningServer,
    claim_home,
    find_running,
)
from recto.config.secret import Secret
from recto.config.settings import (
    FOLDER,
    ChatSettings,
    EditorSettings,
    GatewaySettings,
    LogSettings,
    OpenIdSettings,
    OwnTransform,
    ReferenceSettings,
    ResearchSettings,
    SearchSettings,
    ServerSettings,
    Settings,
    StorageSettings,
    load_settings,
)
from recto.config.trust import Trust
from recto.config.validation import words_for

__all__ = [
    "ChatSettings",
    "FOLDER",
    "EditorSettings",
    "GatewaySettings",
    "HomeClaim",
    "HomeTaken",
    "ConfigFailure",
    "Home",
    "Keys",
    "LogSettings",
    "OpenIdSettings",
    "OwnTransform",
    "Preferences",
    "PreferencesChanged",
    "ReferenceSettings",
    "ResearchSettings",
    "RunningServer",
    "SearchSettings",
    "Secret",
    "ServerSettings",
    "Settings",
    "StorageSettings",
    "Trust",
    "claim_home",
    "find_home",
    "find_running",
    "load_keys",
    "load_settings",
    "open_home",
    "save_keys",
    "words_for",
]
