"""Which scenarios of the official conformance suite for clients apply to Recto, by name."""

BOTH = {
    "auth/basic-cimd",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/pre-registration",
    "auth/scope-from-scopes-supported",
    "auth/scope-from-www-authenticate",
    "auth/scope-omitted-when-undefined",
    "auth/scope-retry-limit",
    "auth/scope-step-up",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-none",
    "auth/token-endpoint-auth-post",
    "json-schema-2020-12-preservation",
    "tools_call",
}
APPLYING = {
    "2025-11-25": BOTH | {"elicitation-sep1034-client-defaults", "initialize", "sse-retry"},
    "2026-07-28": BOTH
    | {
        "auth/authorization-server-migration",
        "auth/iss-normalized",
        "auth/iss-not-advertised",
        "auth/iss-supported",
        "auth/iss-supported-missing",
        "auth/iss-unexpected",
        "auth/iss-wrong-issuer",
        "auth/metadata-issuer-mismatch",
        "auth/offline-access-not-supported",
        "auth/offline-access-scope",
        "auth/resource-mismatch",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "http-standard-headers",
        "json-schema-ref-no-deref",
        "request-metadata",
        "sep-2322-client-request-state",
    },
}
"""Those that a revision requires."""
OLDER = ("auth/2025-03-26-oauth-endpoint-fallback", "auth/2025-03-26-oauth-metadata-backcompat")
"""Those of servers that came before both."""

NO_MACHINES = "Recto signs in as a person in a browser; it has no credentials of its own."
NO_DPOP = "An extension that Recto does not offer: its tokens are bearer tokens."
NO_SKILLS = "An extension that Recto does not offer: skills come from files alone."
NOT_APPLYING = {
    "auth/client-credentials-basic": NO_MACHINES,
    "auth/client-credentials-jwt": NO_MACHINES,
    "auth/dpop": NO_DPOP,
    "auth/dpop-nonce": NO_DPOP,
    "auth/enterprise-managed-authorization": NO_MACHINES,
    "auth/wif-jwt-bearer": NO_MACHINES,
    "sep-2640-client-no-prefetch": NO_SKILLS,
    "sep-2640-client-verify-digest": NO_SKILLS,
    "sep-2640-client-verify-frontmatter": NO_SKILLS,
    "sep-2640-client-verify-size": NO_SKILLS,
}
