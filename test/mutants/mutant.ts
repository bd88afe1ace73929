/** One defect of one line, in a place where it costs somebody something. */
export interface Mutant {
  readonly id: string;
  readonly area: Area;
  /** Who loses what, in one sentence. */
  readonly costs: string;
  /** Code that stands exactly once in the product's sources. Line breaks, spaces and trailing commas do not count. */
  readonly find: string;
  readonly replace: string;
  /** Parts of the paths of the test files that should notice it first. */
  readonly suites: readonly string[];
  /** The tests of `suites` to run, as `vitest -t` takes them. */
  readonly only?: string;
}

export type Area = keyof typeof AREAS;

/** For each area the tests to run when a defect's own suites do not notice it, as parts of paths. */
export const AREAS = {
  "token service": ["test/oauth/", "test/tokens/", "test/api-clients/", "test/security/0"],
  grants: ["test/oauth/", "test/security/1"],
  exchange: ["test/oauth/", "test/security/1", "test/gateway/credentials/"],
  "inbound checks": ["test/gateway/", "test/security/2", "test/security/4"],
  scopes: ["test/gateway/", "test/mcp/", "test/proxy/"],
  policies: ["test/policy/", "test/gateway/", "test/security/2", "test/proxy/"],
  "MCP sessions": ["test/mcp/", "test/security/3", "test/proxy/"],
  records: ["test/gateway/", "test/mcp/", "test/proxy/"],
  "Bridge requests": ["test/bridge/", "test/security/2", "test/security/37"],
  "Proxy forwarding": ["test/proxy/", "test/mcp/"],
  "outbound calls": ["test/net/", "test/gateway/credentials/", "test/security/2", "test/security/4", "test/proxy/"],
  "SQLite store": ["test/contract/sqlite.", "test/infra-node/"],
  "Durable Objects and KV": ["test/contract/durable-objects.", "test/infra-cloudflare/"],
  "DynamoDB and Lambda": ["test/contract/dynamodb.", "test/infra-aws/"],
  "Console and management API": ["test/directory/", "test/management/", "test/security/3"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What is asked last, whatever the area. */
export const EVERYWHERE: readonly string[] = ["test/runtimes/node."];
