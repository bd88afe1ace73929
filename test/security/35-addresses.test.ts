import { afterAll, beforeAll, expect, test } from "vitest";
import { type Organization, startOrganization } from "../directory/people.ts";

let organization: Organization;
beforeAll(async () => {
  organization = await startOrganization();
});
afterAll(() => organization.product.close());

test.each([
  ["a space of no width", "owner\u200B@example.com"],
  ["a mark that turns the direction", "\u202Emoc.elpmaxe@renwo"],
  ["a soft hyphen", "ow\u00ADner@example.com"],
  ["an unpaired surrogate", "owner\uD800@example.com"],
  ["a character of nobody's", "owner\uE000@example.com"],
])("35. no address has %s, by which it would look like another", async (_, email) => {
  const { status, body } = await organization.owner.call("POST", "/invitations", { email, role: "member" });
  expect([status, body.errors?.[0]?.pointer]).toEqual([422, "/email"]);
});
