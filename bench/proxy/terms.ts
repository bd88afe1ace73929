/** What tokens are exchanged for: by it the issuer knows whether to say how long they are good, without which none is kept. */
export const AUDIENCES = { kept: "https://kept.example/", unkept: "https://unkept.example/" } as const;

/** Names of the gateway's apps. */
export const APPS = { kept: "ledger", unkept: "fresh" } as const;

/** The app of a REST API, where there is one, and its tool as agents know it. */
export const REST = { app: "notes", tool: "notes_listNotes" } as const;

/** Tools of the upstream. */
export const TOOLS = { short: "getEntry", long: "getStatement", streamed: "exportEntries" } as const;

/** Characters of a long result; a short one has some 200. */
export const LONG_SIZE = 10 * 1024;

/** Characters of a streamed result. */
export const STREAMED_SIZE = 1024 * 1024;
