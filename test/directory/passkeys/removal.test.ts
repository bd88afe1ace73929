import { afterAll, beforeAll, expect, test } from "vitest";
import { type Calls, counted } from "../../support/counted.ts";
import { type Organization, startOrganization } from "../people.ts";

const calls: Calls & { readonly names: string[] } = { names: [] };
let organization: Organization;
beforeAll(async () => {
  organization = await startOrganization({ adapt: (dependencies) => counted(dependencies, calls) });
});
afterAll(() => organization.product.close());

test.each([
  ["longer than any", "A".repeat(1_365)],
  ["not base64url", "%00"],
  ["not base64url", "a%20b"],
  ["of no bytes at all", "="],
])("what cannot be a passkey's id, as it is %s, reaches no store", async (_, id) => {
  calls.names.length = 0;
  expect((await organization.owner.call("DELETE", `/passkeys/${id}`)).status).toBe(404);
  expect(calls.names.filter((name) => name.startsWith("passkeys."))).toEqual([]);
});

test("the longest id that there can be is looked up", async () => {
  calls.names.length = 0;
  expect((await organization.owner.call("DELETE", `/passkeys/${"A".repeat(1_364)}`)).status).toBe(404);
  expect(calls.names).toContain("passkeys.getPasskey");
});
