import { expect, test } from "vitest";
import { policyAnswers } from "../../../lib/gateway/decision/ask-policy.ts";
import type { Asked } from "../../../lib/gateway/decision/step.ts";
import { ALLOWED, type PolicyInput, type RemotePolicy } from "../../../lib/policy/policy.ts";
import { toolVersion } from "../../../lib/upstream/catalog/tool-version.ts";

const mapping = { evaluation: { action: { name: "pay" } } };
const version = toolVersion("pay", { name: "pay", inputSchema: { type: "object", "x-authzen-mapping": mapping } });

test.each([
  ["of an app that pins its tools", { pins: { first: "trust", maxAge: 60_000 } }, () => version, mapping],
  ["of an app that pins nothing", {}, () => version, undefined],
  ["that nobody has listed", { pins: { first: "trust", maxAge: 60_000 } }, undefined, undefined],
] as const)("a policy learns what a tool declares %s: %o", async (_, more, pin, declared) => {
  let input: PolicyInput | undefined;
  const policy: RemotePolicy = {
    ...{ cost: "remote", name: "pdp", decidesOnListing: false, seesToken: false },
    decide: async (given) => {
      input = given;
      return ALLOWED;
    },
    list: async () => ALLOWED,
  };
  const asked = {
    app: { name: "ledger", ...more },
    ...(pin && { pin }),
    scopes: [],
    stepUp: undefined,
    subject: { method: "tools/call", tool: { params: { name: "pay", arguments: {} } } },
    caller: { identity: undefined, http: new Request("https://gateway.example/mcp"), request: {} },
  } as unknown as Asked;
  await policyAnswers(asked, { policies: new Map([["ledger", [policy]]]) } as never).decision(policy);
  expect(input?.declaredMapping?.()).toEqual(declared);
});
