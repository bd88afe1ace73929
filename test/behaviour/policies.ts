import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hiddenTools } from "../security/27-hidden-tools.ts";
import { type Opa, startOpa } from "../support/opa.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { behaviourConfiguration } from "./configuration.ts";
import { createSigner, type Owner, setUpOwner } from "./fixture.ts";
import { auditRecords, bearer, call as callOf, gatewayToken, mcpURL, post, rpc, textOf } from "./gateway-fixture.ts";

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

    test("deny where their server cannot be asked", async () => {
      it.opa.answer((response) => response.writeHead(503).end());
      expect((await rpc(await it.call("getNote", { noteId: "1" }))).result?.isError).toBe(true);
      it.opa.decide(() => true);
    });

    hiddenTools(() => it);
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
