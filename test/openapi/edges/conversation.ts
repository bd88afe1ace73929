import { strictEqual } from "node:assert/strict";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";

/** What the upstream of a gateway under test answers to everything: a Git reference. */
export const REFERENCE = {
  ref: "refs/heads/main",
  node_id: "MDM6UmVmcmVmcy9oZWFkcy9mZWF0dXJlQQ==",
  url: "https://api.example/repos/octocat/hello-world/git/refs/heads/main",
  object: {
    type: "commit",
    sha: "aa218f56b14c9653891f9e74264a383fa43fefbd",
    url: "https://api.example/repos/octocat/hello-world/git/commits/aa218f",
  },
};

/** Milliseconds that an agent waited for each step; the first includes what is made with the first request. */
export interface Conversation {
  readonly list: number;
  readonly search: number;
  readonly describe: number;
  readonly call: number;
}

/** Lists, searches, describes and calls as an agent does. Rejects when an answer is not what it has to be. */
export async function converse(url: string): Promise<Conversation> {
  const list = await timed(() => ask(url, "tools/list", {}));
  strictEqual(names(list.result).join(), "search_tools,describe_tools,call_tool");
  const search = await timed(() => use(url, "search_tools", { query: "get a git reference", limit: 20 }));
  const name = names(structured(search.result)).find((found) => /^github_git_get-ref(_|$)/.test(found));
  if (name === undefined) throw new Error(`the tool was not found: ${JSON.stringify(search.result)}`);
  const describe = await timed(() => use(url, "describe_tools", { names: [name] }));
  if (!JSON.stringify(describe.result).includes("owner")) throw new Error("the tool's arguments are not described");
  const given = { owner: "octocat", repo: "hello-world", ref: "heads/main" };
  const call = await timed(() => use(url, "call_tool", { name, arguments: given }));
  strictEqual((structured(call.result) as { readonly ref?: unknown }).ref, REFERENCE.ref);
  return { list: list.time, search: search.time, describe: describe.time, call: call.time };
}

async function use(url: string, name: string, given: JsonObject): Promise<JsonObject> {
  const result = await ask(url, "tools/call", { name, arguments: given });
  if (result.isError === true) throw new Error(`${name} failed: ${JSON.stringify(result)}`);
  return result;
}

async function ask(url: string, method: string, params: JsonObject): Promise<JsonObject> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const text = await response.text();
  const data = text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}");
  const { result } = JSON.parse(data) as { readonly result?: unknown };
  if (!isJsonObject(result)) throw new Error(`${method} answered ${response.status}: ${text.slice(0, 1_000)}`);
  return result;
}

function structured(result: JsonObject): JsonObject {
  return isJsonObject(result.structuredContent) ? result.structuredContent : {};
}

function names({ tools }: JsonObject): readonly string[] {
  return Array.isArray(tools) ? tools.map(({ name }) => String(name)) : [];
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly time: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { result, time: performance.now() - startedAt };
}
