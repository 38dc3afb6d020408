"""Tools: what the AI may do, and what it must ask for."""

from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import Name
from recto.server.schemas.tools import ReachOut, Tool, ToolList, ToolPermission
from recto.server.services import Services, ServicesDependency
from recto.tools import SandboxLevel

router = Router(prefix="/api/v1/tools", tags=["tools"])

SANDBOXED = (
    "Commands run in a sandbox: they change this folder only, don't see your home folder, and have"
    " no network unless you agree."
)
CONFINED = (
    "Commands are held by Landlock and seccomp: they write in this folder alone, don't see your"
    " home folder, and have no network unless you agree. What they do in it is done at once."
)


@router.get("", response_model=ToolList, responses=may_answer(422))
@for_session
async def list_tools(services: ServicesDependency) -> ToolList:
    """Every tool, how it may be used, and how commands run here."""
    return await present(services)


@router.put("/reaches-out", response_model=ToolList, responses=may_answer(400, 422))
@for_session
async def let_reach_out(body: ReachOut, services: ServicesDependency) -> ToolList:
    """Turn all tools that reach a third party off, or let each have its own permission again."""
    services.tools.let_reach_out(allowed=body.allowed)
    await services.feed.announce("tools")
    return await present(services)


@router.put("/{name}", response_model=ToolList, responses=may_answer(400, 404, 422))
@for_session
async def permit(name: Name, body: ToolPermission, services: ServicesDependency) -> ToolList:
    """Say how a tool may be used from now on."""
    services.tools.permit(name, body.permission)
    await services.feed.announce("tools")
    return await present(services)


def words_of(level: SandboxLevel) -> str:
    """How far commands are held, and why no further."""
    if level.kind == "sandboxed":
        return SANDBOXED
    return f"{CONFINED} {level.why}" if level.kind == "confined" else level.why


async def present(services: Services) -> ToolList:
    """The tools as the settings show them."""
    level = await services.tools.level()
    return ToolList(
        items=[
            Tool(
                name=setting.declaration.name,
                title=setting.declaration.title,
                description=setting.declaration.description,
                group=setting.declaration.group,
                changes=setting.declaration.changes,
                reaches_out=setting.declaration.reaches_out,
                permission=setting.permission,
                rules=list(setting.rules),
                doing=setting.declaration.doing,
                done=setting.declaration.done,
                main=setting.declaration.main,
            )
            for setting in services.tools.settings()
        ],
        sandbox=level.kind,
        sandbox_words=words_of(level),
        sandbox_remedy=level.remedy,
        reaches_out=services.tools.reaches_out(),
    )
