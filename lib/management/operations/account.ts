import type { Operation } from "./operation.ts";

/** What people have for themselves: sessions, passkeys, and accounts at connectors. */
export const ACCOUNT_OPERATIONS = [
  {
    operationId: "listBrowserSessions",
    method: "get",
    path: "/api/v1/browser-sessions",
    access: { role: "person" },
  },
  {
    operationId: "endBrowserSession",
    method: "delete",
    path: "/api/v1/browser-sessions/{sessionId}",
    access: { role: "person" },
  },
  {
    operationId: "beginPasskey",
    method: "post",
    path: "/api/v1/passkeys/options",
    access: { role: "person" },
  },
  {
    operationId: "addPasskey",
    method: "post",
    path: "/api/v1/passkeys",
    access: { role: "person" },
  },
  {
    operationId: "listPasskeys",
    method: "get",
    path: "/api/v1/passkeys",
    access: { role: "person" },
  },
  {
    operationId: "removePasskey",
    method: "delete",
    path: "/api/v1/passkeys/{passkeyId}",
    access: { role: "person" },
  },
  {
    operationId: "listIdentities",
    method: "get",
    path: "/api/v1/identities",
    access: { role: "person" },
  },
  {
    operationId: "unlinkIdentity",
    method: "delete",
    path: "/api/v1/identities/{connector}",
    access: { role: "person" },
  },
] as const satisfies readonly Operation[];
