"""What of the official conformance suite does not apply to Recto as a server, and why."""

NO_SUCH_TOOL = "It calls a tool that only the suite's own example server has."
NO_RESOURCES = "Recto offers no resources: files are read with a tool, under its rules."
NO_PROMPTS = "Recto offers no prompts."
NO_COMPLETION = "Without prompts and resources there is nothing to complete."
NO_LOGGING = "Logging is deprecated as of 2026-07-28, and not offered."
NO_INPUT = "No tool of Recto asks its caller for anything."
NO_TASKS = "No tool of Recto takes so long that it would have to be a task."
NO_HEADERS = "No argument of Recto's tools is mirrored in a header."

SCENARIOS = {
    "completion-complete": NO_COMPLETION,
    "elicitation-sep1034-defaults": NO_INPUT,
    "elicitation-sep1330-enums": NO_INPUT,
    "http-custom-header-server-validation": NO_HEADERS,
    "input-required-result-basic-elicitation": NO_INPUT,
    "input-required-result-basic-list-roots": NO_INPUT,
    "input-required-result-basic-sampling": NO_INPUT,
    "input-required-result-capability-check": NO_INPUT,
    "input-required-result-multi-round": NO_INPUT,
    "input-required-result-multiple-input-requests": NO_INPUT,
    "input-required-result-non-tool-request": NO_PROMPTS,
    "input-required-result-request-state": NO_INPUT,
    "input-required-result-result-type": NO_INPUT,
    "input-required-result-tampered-state": NO_INPUT,
    "json-schema-2020-12": NO_SUCH_TOOL,
    "logging-set-level": NO_LOGGING,
    "prompts-get-embedded-resource": NO_PROMPTS,
    "prompts-get-simple": NO_PROMPTS,
    "prompts-get-with-args": NO_PROMPTS,
    "prompts-get-with-image": NO_PROMPTS,
    "prompts-list": NO_PROMPTS,
    "resources-list": NO_RESOURCES,
    "resources-read-binary": NO_RESOURCES,
    "resources-read-text": NO_RESOURCES,
    "resources-subscribe": NO_RESOURCES,
    "resources-templates-read": NO_RESOURCES,
    "resources-unsubscribe": NO_RESOURCES,
    "tasks-capability-negotiation": NO_TASKS,
    "tasks-dispatch-and-envelope": NO_TASKS,
    "tasks-lifecycle": NO_TASKS,
    "tasks-mrtr-composition": NO_TASKS,
    "tasks-mrtr-input": NO_TASKS,
    "tasks-request-headers": NO_TASKS,
    "tasks-request-state-removal": NO_TASKS,
    "tasks-required-task-error": NO_TASKS,
    "tasks-wire-fields": NO_TASKS,
    "tools-call-audio": NO_SUCH_TOOL,
    "tools-call-elicitation": NO_INPUT,
    "tools-call-embedded-resource": NO_RESOURCES,
    "tools-call-error": NO_SUCH_TOOL,
    "tools-call-image": NO_SUCH_TOOL,
    "tools-call-mixed-content": NO_SUCH_TOOL,
    "tools-call-sampling": NO_INPUT,
    "tools-call-simple-text": NO_SUCH_TOOL,
    "tools-call-with-logging": NO_LOGGING,
    "tools-call-with-progress": NO_SUCH_TOOL,
}
"""Scenarios that are not about us as a whole."""

CHECKS = {
    "sep-2549-prompts-list-caching-hints": NO_PROMPTS,
    "sep-2549-resources-list-caching-hints": NO_RESOURCES,
    "sep-2549-resources-templates-list-caching-hints": NO_RESOURCES,
    "sep-2575-http-server-no-independent-requests-on-stream": NO_SUCH_TOOL,
    "sep-2575-missing-capability-http-400": NO_SUCH_TOOL,
    "sep-2575-server-no-log-without-loglevel": NO_LOGGING,
    "sep-2575-server-rejects-undeclared-capability": NO_SUCH_TOOL,
}
"""Single checks of scenarios that do apply."""
