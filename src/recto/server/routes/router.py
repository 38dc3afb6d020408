"""Routes that read the types of their endpoint when they are first asked, not at the start.

Two hundred routes with the bodies that they take and give are a third of what Recto would do
before its first page, and opening a folder needs ten of them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.routing import compile_path


class LateRoute(APIRoute):
    """A route that is found by its path and its methods; the rest is made at its first use."""

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        methods: set[str] | list[str],
        name: str | None = None,
        **options: Any,
    ) -> None:
        self.path = path
        self.endpoint = endpoint
        self.name = name or endpoint.__name__
        self.methods = {method.upper() for method in methods}
        self.path_regex, self.path_format, self.param_convertors = compile_path(path)
        self._options: dict[str, Any] | None = options

    def __getattr__(self, name: str) -> Any:
        """What is asked for and is not there: the route is made whole, once."""
        options = self.__dict__.get("_options")
        if options is None:
            raise AttributeError(name)
        self._options = None
        super().__init__(self.path, self.endpoint, name=self.name, methods=self.methods, **options)
        return getattr(self, name)


class Router(APIRouter):
    """The routes of a resource."""

    def __init__(
        self, *, prefix: str = "", tags: Sequence[str] = (), include_in_schema: bool = True
    ) -> None:
        super().__init__(
            prefix=prefix,
            tags=[*tags],
            include_in_schema=include_in_schema,
            route_class=LateRoute,
        )
