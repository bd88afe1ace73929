import { readdirSync, readlinkSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import { issueToken, signAssertion, tokenParameters } from "../../behaviour/fixture.ts";
import type { RunningRegion } from "../../support/runtime.ts";
import { startUpstream } from "../../support/upstream.ts";
import type { Attack, Figure, TenantClient } from "../attack.ts";
import { type FloodRequest, whileFlooded } from "../flood.ts";
import { clientOf, tenants } from "../tenants.ts";

const CONNECTIONS = 16;
/** What one caller may add to the store, KB a second. */
const GROWTH = 100;

/** The app is the last entry of the document. No client has the scope. */
const AUTHORIZATION = `
    authorization:
      inbound:
        tools:
          - name: /.*/
            scopes: [notes:everything]
      outbound:
        type: unprotected
`;

/** A caller who may do nothing tries everything as fast as it can: the store must not grow with it. */
export const refusedCalls: Attack = {
  name: "refused-calls",
  checklist: 42,
  runtimes: ["node"],
  async play({ start, atTheEnd, seconds }) {
    const upstream = await startUpstream();
    atTheEnd(() => upstream.stop());
    const configuration = behaviourConfiguration + AUTHORIZATION;
    const region = await start({ configuration, variables: { UPSTREAM_URL: upstream.url } });
    const { first: victim } = await tenants(region);
    const client = await clientOf(victim, { scopes: ["audit:read"], resources: [`${region.url}/mcp`] });
    const requests = await refused(region, client);
    const figures: Figure[] = [];
    for (const [what, some] of Object.entries(requests)) figures.push(...(await growth(region, what, some, seconds)));
    return figures;
  },
};

async function growth(
  { pid }: RunningRegion,
  what: string,
  requests: readonly FloodRequest[],
  seconds: number,
): Promise<readonly Figure[]> {
  const folder = storeOf(pid);
  const before = bytesOf(folder);
  const startedAt = performance.now();
  const { answers } = await whileFlooded({ connections: CONNECTIONS, requests }, () => pause(seconds * 1000));
  const took = (performance.now() - startedAt) / 1000;
  const numbers = Object.entries(answers);
  const count = (matches: (status: number) => boolean) =>
    numbers.reduce((sum, [status, number]) => (matches(Number(status)) ? sum + number : sum), 0);
  const grown = (bytesOf(folder) - before) / 1000 / took;
  return [
    { name: `${what}: the store's files grow by`, value: grown, limit: GROWTH, unit: "KB/s" },
    { name: `${what}: refused a second`, value: count((status) => status >= 200) / took, unit: "" },
    { name: `${what}: answers of 500`, value: count((status) => status === 500), limit: 0, unit: "" },
  ];
}

/** What is refused, by who asks. */
async function refused(
  region: RunningRegion,
  client: TenantClient,
): Promise<Readonly<Record<string, readonly FloodRequest[]>>> {
  const token = await issueToken(region, client, { resource: `${region.url}/mcp` });
  const call = (name: string, given: object, bearer = token): FloodRequest => ({
    method: "POST",
    url: `${region.url}/mcp`,
    headers: {
      authorization: `Bearer ${bearer}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }),
  });
  const form = (path: string, fields: Readonly<Record<string, string>>): FloodRequest => ({
    method: "POST",
    url: `${region.url}${path}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
  const api = (method: string, path: string, body: object): FloodRequest => ({
    method,
    url: `${region.url}/api/v1${path}`,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const expired = await signAssertion(client, region, { claims: { exp: 1 } });
  return {
    "denied calls": ["getNote", "createNote", "deleteNote", "listTags"].map((tool) =>
      call(`upstream_${tool}`, { noteId: "1", title: "x".repeat(2_000) }),
    ),
    "all that is refused": [
      call("upstream_getNote", { noteId: "1" }),
      call("upstream_nothing", {}),
      call("upstream_getNote", { noteId: "1" }, "nothing"),
      form("/oauth2/token", tokenParameters(expired)),
      form("/oauth2/introspect", { token: "nothing" }),
      api("POST", "/sign-in", { token: "A".repeat(43) }),
      api("POST", "/setup", { token: "wrong" }),
      api("POST", "/api-clients", { name: "one more" }),
    ],
  };
}

/** The folder of the store that a process has open. */
function storeOf(pid: number | undefined): string {
  const files = `/proc/${pid}/fd`;
  const database = readdirSync(files)
    .map((file) => targetOf(join(files, file)))
    .find((path) => path?.endsWith("/countersign.db"));
  if (database === undefined) throw new Error("The server has no store open.");
  return dirname(database);
}

/** Undefined for what the process has closed since it was listed. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function bytesOf(folder: string): number {
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}
