import type { Mutant } from "../mutant.ts";

export const SESSIONS: readonly Mutant[] = [
  {
    id: "principal-without-person",
    area: "MCP sessions",
    costs: "One person's agent goes on in another person's session.",
    find: "JSON.stringify([issuer, user?.sub ?? null, agent?.clientID ?? null])",
    replace: "JSON.stringify([issuer, user === undefined ? null : 0, agent?.clientID ?? null])",
    suites: ["security/39-", "proxy/security/39-", "runtimes/node."],
    only: "25\\.|39\\.",
  },
  {
    id: "stream-outlives-token",
    area: "MCP sessions",
    costs: "Messages go on to an agent whose token has expired.",
    find: "const isExpired = identity !== undefined && now >= identity.expiresAt",
    replace: "const isExpired = identity !== undefined && now >= identity.expiresAt + 86_400_000",
    suites: ["mcp/token-expiry"],
  },
  {
    id: "stream-outlives-revocation",
    area: "MCP sessions",
    costs: "Messages go on to an agent whose token was revoked.",
    find: "if (isExpired || !(await isStillAuthorized())) return stream.close(); if (isUseDue",
    replace: "if (isExpired || isStillAuthorized === undefined) return stream.close(); if (isUseDue",
    suites: ["security/40-", "mcp/"],
  },
  {
    id: "session-ended-by-others",
    area: "MCP sessions",
    costs: "One organization's owner ends the sessions of the others.",
    find: "if (session?.organizationId !== administrator.organizationId) throw",
    replace: "if (session === undefined || administrator.organizationId === undefined) throw",
    suites: ["mcp/session-administration"],
  },
  {
    id: "header-says-another-tool",
    area: "MCP sessions",
    costs: "A proxy that filters by header lets through another tool than the one that is called.",
    find: "if (header !== undefined && header !== wanted) throw",
    replace: 'if (header !== undefined && header === "") throw',
    suites: ["runtimes/node."],
    only: "stateless",
  },
  {
    id: "replaced-stream-goes-on",
    area: "MCP sessions",
    costs: "Two agents that present one session id both hear the same messages.",
    find: "else if (isInPlace) stream.close()",
    replace: "else if (isInPlace && signal.by === undefined) stream.close()",
    suites: ["mcp/replaced-stream"],
  },
];
