import type { SpecificationRow } from "../row.ts";

const ports = [
  "API clients",
  "changing grants",
  "uses of key pairs",
  "tokens",
  "single use",
  "first owner",
  "sign-in",
  "audit log",
];

/** Clients that nobody here wrote, and the engines behind the stores: without one of them a row is missing. */
export const interoperabilityRows: readonly SpecificationRow[] = [
  {
    id: "clients.oauth",
    statement: "openid-client and oauth4webapi get tokens by discovery.",
    shown: "runtimes",
    tests: [
      "OAuth client libraries > openid-client gets a token, introspects and revokes it",
      "OAuth client libraries > oauth4webapi gets a token, by either discovery document",
    ],
  },
  {
    id: "clients.mcp",
    statement: "Version 2 of the MCP SDK, in both generations, and version 1 list and call tools.",
    shown: "runtimes",
    tests: [
      "MCP clients > version 2 of the SDK in the stateless generation > calls a tool",
      "MCP clients > version 2 of the SDK in the session generation > calls a tool",
      "MCP clients > version 1 of the SDK gets its token, lists and calls",
    ],
  },
  {
    id: "clients.mcp-sessions",
    statement: "Both versions of the MCP SDK keep sessions, and are told 404 when one is lost.",
    shown: "runtimes",
    tests: [
      "version 2 of the SDK in a session > is told 404 when the session is lost, and opens another one",
      "version 1 of the SDK in a session > is told 404 when the session is lost, and opens another one",
    ],
  },
  {
    id: "clients.mcp-sign-in",
    statement: "From the MCP URL alone, clients find another authorization server, register, and sign a person in.",
    shown: "runtimes",
    tests: ["signing in at another authorization server > "],
  },
  storeRow("sqlite", "SQLite"),
  storeRow("sqlite-thread", "SQLite in its own thread"),
  storeRow("durable-objects", "Durable Objects"),
  storeRow("dynamodb", "DynamoDB (dynamodb-local)"),
];

function storeRow(id: string, engine: string): SpecificationRow {
  return {
    id: `stores.${id}`,
    statement: `Every store keeps its contract on ${engine}.`,
    shown: "once",
    tests: ports.map((port) => `${port} on ${engine} > `),
  };
}
