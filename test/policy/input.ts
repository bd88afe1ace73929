import type { McpPolicyInput, PolicyTool } from "../../lib/policy/policy.ts";

/** A call of `getNote` by an agent for a person. */
export function policyInput(params: Partial<PolicyTool["params"]> = {}): McpPolicyInput {
  return {
    request: {
      http: {
        method: "GET",
        path: "/notes/1",
        query: { view: ["full"] },
        headers: { "User-Agent": "Countersign" },
        remoteAddress: "203.0.113.1",
      },
      mcp: {
        method: "tools/call",
        app: "notes",
        http: { method: "POST", path: "/mcp", headers: { "User-Agent": "test/1" } },
        tool: { params: { name: "getNote", arguments: {}, ...params } },
      },
    },
    user: { sub: "a-person", roles: ["editor"] },
    agent: { clientID: "an-agent" },
    token: { claims: { sub: "a-person", client_id: "an-agent", roles: ["editor"] } },
  };
}
