"""Many people's models through the operator's keys: any client's protocol to any provider's."""

from recto.gateway.admission import StoredCallers
from recto.gateway.application import build_gateway_application, build_people_api
from recto.gateway.caller import Caller, Callers, Door, Refused
from recto.gateway.doors.application import GatewayDoors
from recto.gateway.doors.health import DeploymentHealth, DeploymentState
from recto.gateway.doors.http import Application
from recto.gateway.doors.kept_thoughts import KeptThoughts, StoredThoughts
from recto.gateway.doors.models import GatewayModels
from recto.gateway.doors.observation import CallListener
from recto.gateway.doors.services import DoorServices
from recto.gateway.doors.shared_health import SharedHealth
from recto.gateway.doors.untranslated import DROPPED, REFUSED
from recto.gateway.figures import GatewayFigures
from recto.gateway.kept_calls import KeptCalls
from recto.gateway.openid import OpenIdSignIns
from recto.gateway.openid_connection import HttpOpenIdConnection
from recto.gateway.passwords import Argon2Passwords
from recto.gateway.people import People, PeopleFailure
from recto.gateway.rate_leases import RateLeases
from recto.gateway.routes.admin import invitation_link
from recto.gateway.routes.pages import Pages
from recto.gateway.search.actions import SearchActions
from recto.gateway.services import GatewayAddress, GatewayServices
from recto.gateway.sign_ins import SignIns
from recto.gateway.upstreams import Upstreams
from recto.gateway.usage import UsageBooks

__all__ = [
    "Application",
    "Argon2Passwords",
    "CallListener",
    "Caller",
    "Callers",
    "DROPPED",
    "DeploymentHealth",
    "DeploymentState",
    "Door",
    "DoorServices",
    "GatewayAddress",
    "GatewayDoors",
    "GatewayFigures",
    "GatewayModels",
    "GatewayServices",
    "HttpOpenIdConnection",
    "KeptCalls",
    "KeptThoughts",
    "OpenIdSignIns",
    "Pages",
    "People",
    "PeopleFailure",
    "REFUSED",
    "RateLeases",
    "Refused",
    "SearchActions",
    "SharedHealth",
    "SignIns",
    "StoredCallers",
    "StoredThoughts",
    "Upstreams",
    "UsageBooks",
    "build_gateway_application",
    "build_people_api",
    "invitation_link",
]
