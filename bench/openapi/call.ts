import { createToolIndex } from "../../lib/gateway/tool-index.ts";
import { invokeOperation } from "../../lib/openapi/invoke.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { appsOf, readArtifact } from "./artifact.ts";
import { compareCalls } from "./call-cost.ts";
import { plainRequests, READ, WRITE } from "./requests.ts";

const [file = "", api = ""] = process.argv.slice(2);
const index = createToolIndex(await appsOf(readArtifact(file)));
const check = createSchemaCheck();
const plain = plainRequests(api);
const cost = await compareCalls({
  get: { call: caller("git/get-ref", READ), fetch: plain.get },
  post: { call: caller("git/create-ref", WRITE), fetch: plain.post },
});
console.log(JSON.stringify(cost));

function caller(localName: string, given: unknown): () => Promise<void> {
  const located = [...index.values()].find(({ tool }) => tool.localName === localName);
  if (located === undefined) throw new Error(`there is no tool ${localName}`);
  const { signal } = new AbortController();
  return async () => {
    const target = { baseURL: api, timeout: 10_000, headers: {}, fetch, check, signal };
    const { outcome, result } = await invokeOperation(located.open(), given, target);
    if (outcome !== "success") throw new Error(JSON.stringify(result));
  };
}
