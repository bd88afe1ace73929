import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { argumentsDigest } from "../../lib/kernel/arguments-digest.ts";
import { hiddenTools } from "../security/27-hidden-tools.ts";
import { type Opa, startOpa } from "../support/opa.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { behaviourConfiguration } from "./configuration.ts";
import { createSigner, type Owner, setUpOwner } from "./fixture.ts";
import {
  auditOutcome,
  auditRecords,
  bearer,
  call as callOf,
  gatewayToken,
  mcpURL,
  post,
  rpc,
  textOf,
} from "./gateway-fixture.ts";
import { request } from "./mcp/session.ts";

/** A region whose app has a policy of each kind. */
export interface PoliciesUnderTest {
  readonly upstream: Upstream;
  readonly opa: Opa;
  readonly owner: Owner;
  send(message: unknown): Promise<Response>;
  call(tool: string, given?: unknown): Promise<Response>;
  stop(): Promise<void>;
}

/** The app is the last entry of the document, so that this continues it. */
const POLICIES = `
    tools:
      rules:
        - tools: [listNotes]
          arguments:
            limit: {name: most, allow: [1, 2]}
            X-Trace: {fix: "of {{ agent.clientID }}"}
          result: {remove: [/items/*/text], mask: [{match: "(?i)first", with: "****"}]}
        - tools: [getNoteText]
          result: {remove: [/text]}
    authorization:
      inbound:
        cel: request.mcp.tool.params.name != "deleteNote"
        opa:
          name: notes
          url: "{{ env.OPA_URL }}"
          timeout: 5s
        rules:
          - cel: >-
              !has(request.mcp.tool.params.arguments.tag) ||
              request.mcp.tool.params.arguments.tag.all(tag, tag.matches("^[a-z]+$"))
          - cel: request.mcp.tool.params.name != "createNote" || agent.clientID == "nobody"
          - opa: { name: rego, plan: "${import.meta.dirname}/policies.plan" }
        tools:
          - name: createNote
            scopes: [notes:write]
          - name: /.*/
            scopes: []
      outbound:
        type: unprotected
`;

/** Who may call what is also a matter of policies: expressions, and an OPA server. */
export function policies(runtime: RuntimeUnderTest): void {
  describe("policies", () => {
    let it: PoliciesUnderTest;

    beforeAll(async () => {
      it = await startPolicies(runtime);
    });
    afterAll(() => it.stop());

    test("that all allow a call let it through", async () => {
      it.opa.decide(({ request, agent }) => ({
        allowed: request.mcp.tool?.params.name === "getNote" && agent.clientID !== undefined,
      }));
      expect(textOf(await rpc(await it.call("getNote", { noteId: "1" })))).toContain("First");
    });

    test("deny a call that one of them denies, with its message, and leave a record", async () => {
      it.opa.decide(() => ({ allowed: false, external_message: "Not today." }));
      const answer = await rpc(await it.call("getNote", { noteId: "1" }));
      expect(answer.result?.isError).toBe(true);
      expect(textOf(answer)).toBe("Not today.");
      const [record] = await auditRecords(it.owner, "getNote");
      expect(record).toMatchObject({ outcome: "denied", reason: "policy", details: { policy: "notes" } });
    });

    test("read the arguments of a call", async () => {
      it.opa.decide(() => true);
      expect((await rpc(await it.call("listNotes", { tag: ["a", "b"] }))).result?.isError).toBeUndefined();
      expect((await rpc(await it.call("listNotes", { tag: ["a", "B"] }))).result?.isError).toBe(true);
    });

    test("in Rego are evaluated by the gateway itself, which knows the claims of an opaque token", async () => {
      const tags = async (...tag: readonly string[]) => rpc(await it.call("listNotes", { tag }));
      expect((await tags("a")).result?.isError).toBeUndefined();
      expect(textOf(await tags("a", "abcdefghijklm"))).toBe("The tag abcdefghijklm is too long.");
      const [record] = await auditRecords(it.owner, "listNotes");
      expect(record).toMatchObject({ outcome: "denied", reason: "policy", details: { policy: "rego" } });
    });

    test("deny where their server cannot be asked", async () => {
      it.opa.answer((response) => response.writeHead(503).end());
      expect((await rpc(await it.call("getNote", { noteId: "1" }))).result?.isError).toBe(true);
      it.opa.decide(() => true);
    });

    hiddenTools(() => it);

    test("72. see the arguments after the rules of the tool, by the names of the API, as the API and the record do", async () => {
      it.opa.decide(({ request: { mcp, http } }) => {
        const { most, limit } = (mcp.tool?.params.arguments ?? {}) as Readonly<Record<string, unknown>>;
        return { allowed: most === undefined && limit === 2 && http.query?.limit?.[0] === "2" };
      });
      expect((await rpc(await it.call("listNotes", { most: 2 }))).result?.isError).toBeUndefined();
      const sent = it.upstream.requests.at(-1);
      expect(sent?.url).toContain("limit=2");
      expect(sent?.headers["x-trace"]).toMatch(/^of ./);
      const { agent, argumentsDigest: digest } = await auditOutcome(it.owner, "listNotes", "success");
      expect(digest).toBe(argumentsDigest({ limit: 2, "X-Trace": `of ${agent}` }));
    });

    test("73. are followed by rules for results, which the shown schema follows", async () => {
      it.opa.decide(() => true);
      const { result } = await rpc(await it.call("listNotes", { tag: ["a"] }));
      const items = [{ noteId: "1", title: "****", tags: ["a"] }];
      expect(result?.structuredContent).toEqual({ items });
      expect(JSON.parse(result?.content?.[0]?.text ?? "")).toEqual({ items });
      const listed = await rpc(await it.send(request("tools/list")));
      const { tools } = listed.result as unknown as {
        readonly tools: readonly { readonly name: string; readonly outputSchema?: object }[];
      };
      const shown = JSON.stringify(tools.find(({ name }) => name.endsWith("listNotes"))?.outputSchema);
      expect(shown).toContain('"title"');
      expect(shown).not.toContain("maxLength");
    });

    test("73. leave no answer that they cannot be applied to, and the record says so", async () => {
      const answer = await rpc(await it.call("getNoteText", { noteId: "1" }));
      expect(answer.result?.isError).toBe(true);
      expect(textOf(answer)).toContain("its result is withheld");
      const record = await auditOutcome(it.owner, "getNoteText", "success");
      expect(record).toMatchObject({ reason: "result_withheld", details: { withheld: "not_json" } });
    });

    test("72. are not asked about arguments that the rules of the tool refuse, and the agent learns why", async () => {
      const before = it.upstream.requests.length;
      for (const [given, why] of [
        [{ limit: 1 }, "limit: is not accepted"],
        [{ most: 3 }, "most: is not one of 1,2"],
        [{ "X-Trace": "mine" }, "X-Trace: is not accepted"],
        [{ "x-trace": "mine" }, "x-trace: is not accepted"],
      ] as const)
        expect(textOf(await rpc(await it.call("listNotes", given)))).toContain(`Invalid arguments: ${why}`);
      expect(it.upstream.requests).toHaveLength(before);
    });
  });
}

async function startPolicies(runtime: RuntimeUnderTest): Promise<PoliciesUnderTest> {
  const [upstream, opa] = await Promise.all([startUpstream(), startOpa()]);
  const variables = { UPSTREAM_URL: upstream.url, OPA_URL: opa.url };
  const regions = await runtime.start({ configuration: behaviourConfiguration + POLICIES, variables, alone: true });
  const owner = await setUpOwner(regions.us);
  const agent = await createSigner(owner, { scopes: ["notes:read", "audit:read"], resources: [mcpURL(regions.us)] });
  const headers = bearer(await gatewayToken(regions.us, agent));
  const send = (message: unknown) => post(regions.us, message, headers);
  const stop = async () => {
    await regions.stop();
    await Promise.all([upstream.stop(), opa.stop()]);
  };
  return { upstream, opa, owner, send, call: (tool, given) => send(callOf(tool, given)), stop };
}
