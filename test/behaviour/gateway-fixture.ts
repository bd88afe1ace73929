import { request as httpRequest } from "node:http";
import { expect, vi } from "vitest";
import type { RegionsOptions, RunningRegion, RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { behaviourConfiguration } from "./configuration.ts";
import { createSigner, expectJson, issueToken, manage, type Owner, type Signer, setUpOwner } from "./fixture.ts";

/** Both regions before a real upstream, with scopes on some tools. */
export interface GatewayUnderTest {
  readonly regions: RunningRegions;
  readonly us: RunningRegion;
  readonly upstream: Upstream;
  readonly owner: Owner;
  /** May read notes, not write them. */
  readonly reader: Signer;
  stop(): Promise<void>;
}

/** The app is the last entry of the document, so that this continues it. */
const AUTHORIZATION = `
    authorization:
      inbound:
        tools:
          - name: createNote
            scopes: [notes:read, notes:write]
          - name: getNote
            scopes: [notes:read]
          - name: /i.+e|etNote/
            scopes: [notes:read]
          - name: /.*/
            scopes: []
      outbound:
        type: unprotected
`;

interface GatewayOptions extends Pick<RegionsOptions, "alone"> {
  /** Keys at the end of the document. */
  readonly more?: string;
  readonly change?: (configuration: string) => string;
  readonly variables?: RegionsOptions["variables"];
}

/** @param options `alone` where the suite has nothing to do in the other region */
export async function startGateway(
  runtime: RuntimeUnderTest,
  { more = "", change = (configuration) => configuration, variables, ...options }: GatewayOptions = {},
): Promise<GatewayUnderTest> {
  const upstream = await startUpstream();
  const configuration = change(behaviourConfiguration + AUTHORIZATION + more);
  const given = { UPSTREAM_URL: upstream.url, ...variables };
  const regions = await runtime.start({ configuration, variables: given, ...options });
  const owner = await setUpOwner(regions.us);
  const reader = await createSigner(owner, { scopes: ["notes:read", "audit:read"], resources: [mcpURL(regions.us)] });
  const stop = async () => {
    upstream.release();
    await regions.stop();
    await upstream.stop();
  };
  return { regions, us: regions.us, upstream, owner, reader, stop };
}

export function mcpURL(region: RunningRegion): string {
  return `${region.url}/mcp`;
}

/** A token for the gateway. */
export function gatewayToken(region: RunningRegion, signer: Signer): Promise<string> {
  return issueToken(region, signer, { resource: mcpURL(region) });
}

export type Headers = Readonly<Record<string, string>>;

/** A POST of one JSON-RPC message as a client of the session generation sends it, without a handshake. */
export function post(
  region: RunningRegion,
  message: unknown,
  headers: Headers,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(mcpURL(region), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...(signal !== undefined && { signal }),
  });
}

export function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

export function call(name: string, given: unknown = {}, id: number | string = 1) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name: `upstream_${name}`, arguments: given } };
}

/** The `_meta` that makes a request one of the stateless generation. */
export const STATELESS_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: {
    readonly content: readonly { readonly type: string; readonly text: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
    readonly [member: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** The JSON-RPC message of an answer, sent as JSON or as an event stream. */
export async function rpc(response: Response): Promise<RpcAnswer> {
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  const data = isStream
    ? text
        .split("\n")
        .find((line) => line.startsWith("data: {"))
        ?.slice(6)
    : text;
  return JSON.parse(data ?? "null") as RpcAnswer;
}

export function textOf(answer: RpcAnswer): string {
  return (answer.result?.content ?? []).map(({ text }) => text).join("\n");
}

/** A request with a `Host` of the test's choice, which `fetch` does not let one set. */
export function postWithHost(region: RunningRegion, host: string): Promise<number | undefined> {
  const { hostname, port } = new URL(region.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path: "/mcp", method: "POST", headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once("error", reject);
    request.end();
  });
}

export interface AuditRecord {
  readonly id: string;
  readonly outcome: string;
  readonly [member: string]: unknown;
}

/** Records of a tool, newest first. */
export async function auditRecords(owner: Owner, tool: string): Promise<readonly AuditRecord[]> {
  const response = await manage(owner, "GET", `/audit-events?type=tool.invoked&tool=upstream_${tool}`);
  return (await expectJson<{ items: readonly AuditRecord[] }>(response, 200)).items;
}

/** Waits for the newest record of a tool to read this outcome. */
export function auditOutcome(owner: Owner, tool: string, outcome: string): Promise<AuditRecord> {
  return vi.waitFor(
    async () => {
      const [newest] = await auditRecords(owner, tool);
      expect(newest?.outcome).toBe(outcome);
      return newest as AuditRecord;
    },
    { timeout: 10_000, interval: 50 },
  );
}
