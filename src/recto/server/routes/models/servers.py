"""The user's own model servers: found, looked at, added, changed, removed."""

from starlette.responses import Response

from recto.access import AddressRefused, FoundServer, OwnServer, ServedModel, find_running
from recto.config import Secret
from recto.messages import Failure
from recto.server.access import for_session
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import NOT_SIGNED_IN, may_answer
from recto.server.routes.router import Router
from recto.server.schemas.model_servers import (
    AnsweringModel,
    AnsweringServer,
    AnsweringServers,
    LookedAt,
    Server,
    ServerBody,
    ServerId,
    ServerList,
    ServerModel,
)
from recto.server.services import Services, ServicesDependency

router = Router(prefix="/api/v1/servers", tags=["models"])
UNREACHED = "See that the server runs and the address is right, such as http://127.0.0.1:11434."


@router.get("", response_model=ServerList, responses=NOT_SIGNED_IN)
@for_session
async def list_servers(services: ServicesDependency) -> ServerList:
    """The user's own servers, with the models that are offered of each."""
    return ServerList(items=[present(server) for server in services.models.servers()])


@router.get("/running", response_model=AnsweringServers, responses=NOT_SIGNED_IN)
@for_session
async def find_servers(services: ServicesDependency) -> AnsweringServers:
    """Servers that run on this computer and are not used yet."""
    known = {server.url for server in services.models.servers()}
    found = await find_running(services.look_at, services.server_addresses, known)
    return AnsweringServers(items=[present_found(item) for item in found])


@router.post("/look", response_model=AnsweringServer, responses=may_answer(400, 422))
@for_session
async def look_at_server(body: LookedAt, services: ServicesDependency) -> AnsweringServer:
    """Which server answers at an address, and which models it has. Nothing is kept."""
    try:
        found = await services.look_at(body.url, key_of(body, services))
    except AddressRefused as refused:
        raise RequestProblem(Problem(422, "Not an address", str(refused))) from refused
    if isinstance(found, Failure):
        remedy = "Add the key of this server." if found.kind == "auth" else UNREACHED
        raise RequestProblem(Problem(422, "No models there", found.message, remedy=remedy))
    return present_found(found)


@router.put("/{server_id}", response_model=Server, responses=may_answer(400, 422))
@for_session
async def save_server(
    server_id: ServerId, body: ServerBody, services: ServicesDependency
) -> Server:
    """Add a server, or change it. Only the models that are named are offered."""
    server = OwnServer(
        id=server_id,
        name=body.name,
        url=body.url.rstrip("/"),
        protocol=body.protocol,
        key_name=body.key_name,
        models=tuple(ServedModel(model.model, model.name, model.window) for model in body.models),
    )
    services.models.save_server(server)
    await services.feed.announce("models")
    return present(next(item for item in services.models.servers() if item.id == server_id))


@router.delete("/{server_id}", status_code=204, responses=may_answer(404, 422))
@for_session
async def remove_server(server_id: ServerId, services: ServicesDependency) -> Response:
    """Forget a server and its models."""
    services.models.remove_server(server_id)
    await services.feed.announce("models")
    return Response(status_code=204)


def key_of(body: LookedAt, services: Services) -> Secret | None:
    """The key to look with: the one that was typed, or one that is set and belongs there."""
    if body.key is not None:
        return Secret(body.key.get_secret_value().strip())
    return services.models.key_for(body.url, body.key_name) if body.key_name else None


def present(server: OwnServer) -> Server:
    """A server as the page sees it; never its key."""
    return Server(
        id=server.id,
        name=server.name,
        url=server.url,
        protocol=server.protocol,
        key_name=server.key_name,
        key_source=server.key_source,
        models=[
            ServerModel(model=model.model, name=model.name, window=model.window)
            for model in server.models
        ],
    )


def present_found(found: FoundServer) -> AnsweringServer:
    """A server that answers."""
    return AnsweringServer(
        id=found.provider.id,
        name=found.provider.name,
        url=found.provider.url,
        models=[
            AnsweringModel(model=model.model, window=model.window, is_chat=model.is_chat)
            for model in found.models
        ],
    )
