"""The settings that people change while Recto works. They hold at once, and in every tab."""

from typing import Annotated

from fastapi import Header
from starlette.responses import Response

from recto.config import ChatSettings, EditorSettings
from recto.server.access import for_session
from recto.server.problems import problem_response
from recto.server.responses import may_answer
from recto.server.routes.projects import NO_VERSION
from recto.server.routes.router import Router
from recto.server.schemas.preferences import ChatPreferences, EditorPreferences, Preferences
from recto.server.services import Services, ServicesDependency

router = Router(prefix="/api/v1", tags=["preferences"])


@router.get("/preferences", response_model=Preferences, responses=may_answer(422))
@for_session
async def get_preferences(services: ServicesDependency, response: Response) -> Preferences:
    """The settings in force. What was written into the file by hand is taken over first."""
    if await services.preferences.refresh():
        await services.feed.announce("preferences")
    return present(services, response)


@router.put("/preferences", response_model=Preferences, responses=may_answer(400, 412, 422, 428))
@for_session
async def set_preferences(
    body: Preferences,
    services: ServicesDependency,
    response: Response,
    if_match: Annotated[str | None, Header(pattern=r'^"[0-9a-f]{16}"$')] = None,
) -> Response | Preferences:
    """Keep other settings, if they are still those that the caller saw."""
    if if_match is None:
        return problem_response(NO_VERSION)
    editor, chats = body.editor.model_dump(), body.chats.model_dump()
    editor["suggest_model"] = editor["suggest_model"] or ""
    await services.preferences.save(
        EditorSettings.model_validate(editor),
        ChatSettings.model_validate(chats),
        tag=if_match.strip('"'),
    )
    await services.feed.announce("preferences")
    return present(services, response)


def present(services: Services, response: Response) -> Preferences:
    """The settings as the page sees them, named in the header."""
    found = services.preferences
    response.headers["etag"] = f'"{found.tag}"'
    editor = found.editor.model_dump()
    editor["suggest_model"] = editor["suggest_model"] or None
    return Preferences(
        editor=EditorPreferences.model_validate(editor),
        chats=ChatPreferences.model_validate(found.chats),
    )
