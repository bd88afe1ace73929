import type { STORES, StoreName } from "./stores.ts";

/**
 * What an operation may use of the space that is held back for a full store. `all`: it ends something or makes room.
 * `half`: whoever ends something needs it, for signing in for example, or it is a record; callers cause it, so half is left.
 */
export type ReserveUse = "all" | "half";

/** Operations that are not here are refused while the store is full. */
const USES: { readonly [Name in StoreName]?: { readonly [Operation in keyof (typeof STORES)[Name]]?: ReserveUse } } = {
  apiClients: { update: "all", delete: "all", revokeKeyPair: "all" },
  // A pair that the provider has put in place of another is lost unless it is written.
  connections: { beginRefresh: "half", settleRefresh: "half", disconnect: "all", purge: "all" },
  // Who approves, refuses or withdraws ends what waits; the calls themselves are records, and so is what became of them.
  approvals: { decideApproval: "half", consumeApproval: "half", withdrawApproval: "half", keepOutcome: "half" },
  auditLog: { append: "half", complete: "all" },
  directory: {
    consumeSignInLink: "half",
    createBrowserSession: "half",
    createSignInLink: "half",
    deleteBrowserSession: "all",
    renewSignIns: "half",
    touchBrowserSession: "half",
  },
  // Owners may sign in at an identity provider.
  grants: { begin: "half", finish: "half", revokeConsent: "all" },
  identities: { unlinkIdentity: "all" },
  invitations: { revokeInvitation: "all" },
  limits: { lease: "half" },
  mcpSessions: { end: "all" },
  members: { changeRole: "all", removeMember: "all" },
  pins: { dropDefinitions: "all" },
  passkeys: { notePasskeyUse: "half", removePasskey: "all" },
  settings: { replaceSettings: "all" },
  signingKeys: { replace: "all" },
  singleUse: { consume: "half" },
  stops: { replaceStops: "all" },
  tokens: { acceptAssertion: "half", end: "all", revoke: "all" },
};

export function reserveUse(store: string, operation: string): ReserveUse | undefined {
  const uses: Readonly<Record<string, Readonly<Record<string, ReserveUse>> | undefined>> = USES;
  return uses[store]?.[operation];
}
