import { issueToken, signAssertion, tokenParameters } from "../behaviour/fixture.ts";
import type { RunningRegion } from "../support/runtime.ts";
import type { TenantClient } from "./attack.ts";
import type { Flood, FloodRequest } from "./flood.ts";

export const CONNECTIONS = 8;

/** What a client with a good token and bad manners can send, of all kinds in turn. */
export async function everything(region: RunningRegion, client: TenantClient): Promise<Flood> {
  const token = await issueToken(region, client, { resource: `${region.url}/mcp` });
  const unknown = Object.fromEntries(Array.from({ length: 95_000 }, (_, index) => [`a${index}`, 0]));
  const foreign = await signAssertion(client, region, { claims: { aud: "https://elsewhere.example" } });
  const call = (name: string, given: unknown): FloodRequest => ({
    method: "POST",
    url: `${region.url}/mcp`,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }),
  });
  const form = (body: string): FloodRequest => ({
    method: "POST",
    url: `${region.url}/oauth2/token`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body,
  });
  return {
    connections: CONNECTIONS,
    requests: [
      call("upstream_getNote", unknown),
      form(new URLSearchParams(tokenParameters(foreign)).toString()),
      call("upstream_nothing", {}),
      call("upstream_createNote", { title: "x".repeat(900_000) }),
      form(`grant_type=${"&a=b".repeat(20_000)}`),
      call("upstream_getNote", { noteId: [[[[[[{}]]]]]] }),
      { method: "GET", url: `${region.url}/nowhere?${"q=1&".repeat(1_000)}`, headers: {} },
      { method: "GET", url: `${region.url}/mcp`, headers: { authorization: "Bearer nothing" } },
    ],
  };
}
