import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";
import { config } from "zod/v4/core";
import type { Trial } from "../../../lib/management/schemas/tools.ts";

/** Why the gateway did not answer, in words. */
export interface Refused {
  readonly outcome: "refused";
  readonly words: string;
  readonly data?: unknown;
}

/** What came of a call: the tool's result, or why there is none. */
export type Called =
  | { readonly outcome: "answered"; readonly result: CallToolResult; readonly milliseconds: number }
  | Refused;

/** What the gateway lists for a caller. */
export interface Listed {
  readonly outcome: "listed";
  readonly tools: readonly Tool[];
  /** Sentences about apps whose servers did not list their tools. */
  readonly unlisted: readonly string[];
}

type Token = Pick<Trial, "url" | "accessToken">;

/** Milliseconds. */
const TIMEOUT = 120_000;

/** Calls the tool as an agent does. */
export function callTool(
  token: Token,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Called | Refused> {
  return withClient(token, async (client) => {
    // Some arguments go into headers as well: the client learns from the list which.
    await client.listTools();
    const begun = performance.now();
    const result = await client.callTool({ name, arguments: { ...args } }, { timeout: TIMEOUT });
    return { outcome: "answered", result: result as CallToolResult, milliseconds: performance.now() - begun };
  });
}

/** Lists the tools as an agent does. */
export function listTools(token: Token): Promise<Listed | Refused> {
  return withClient(token, async (client) => {
    const { tools, _meta } = await client.listTools(undefined, { timeout: TIMEOUT });
    const unlisted = at(_meta, "countersign/unlisted");
    return { outcome: "listed", tools, unlisted: Array.isArray(unlisted) ? unlisted.map(String) : [] };
  });
}

/** The SDK's client with the token, which is in the headers of its requests and nowhere else; no cookie goes with them. */
async function withClient<Outcome>(
  { url, accessToken }: Token,
  work: (client: Client) => Promise<Outcome>,
): Promise<Outcome | Refused> {
  const { Client, StreamableHTTPClientTransport } = await loadClient();
  let refusal: string | undefined;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${accessToken}` } },
    fetch: async (input, init) => {
      const answer = await fetch(input, { ...init, credentials: "omit" });
      if (answer.status >= 400 && answer.status !== 405) refusal = await wordsOf(answer.clone());
      return answer;
    },
  });
  const client = new Client({ name: "countersign-console", version: "1" }, { versionNegotiation: { mode: "auto" } });
  try {
    await client.connect(transport, { timeout: TIMEOUT });
    return await work(client);
  } catch (error) {
    const data = error instanceof Error && "data" in error ? error.data : undefined;
    return { outcome: "refused", words: refusal ?? (error as Error).message, ...(data !== undefined && { data }) };
  } finally {
    await transport.terminateSession().catch(() => undefined);
    await client.close().catch(() => undefined);
  }
}

/** The SDK's schemas would try to compile code, which the policy of the page forbids: they are told not to before they are made. */
function loadClient() {
  config({ jitless: true });
  return import("@modelcontextprotocol/client");
}

/** The status, and what the gateway says of it. */
async function wordsOf(answer: Response): Promise<string> {
  const challenge = answer.headers.get("WWW-Authenticate") ?? "";
  const [error, scope] = ["error", "scope"].map((name) => new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1]);
  if (error === "insufficient_scope") return `The token lacks a scope. The tool needs: ${scope ?? ""}`;
  const body: unknown = await answer.json().catch(() => undefined);
  const message = [at(body, "error", "message"), at(body, "error_description"), at(body, "detail")].find(
    (one) => typeof one === "string",
  );
  return `${message ?? "The gateway refused the request."} (HTTP ${answer.status})`;
}

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (found, name) =>
      typeof found === "object" && found !== null ? (found as Record<string, unknown>)[name] : undefined,
    value,
  );
}
