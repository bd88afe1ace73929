/** Flags of every command that asks an MCP server. */
export const SERVER_FLAGS = { url: "string", client: "string", tokenFile: "string", noBrowser: "boolean" } as const;
