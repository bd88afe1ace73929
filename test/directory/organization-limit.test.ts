import { afterAll, beforeAll, expect, test } from "vitest";
import { createdOrganization } from "../contract/member-records.ts";
import { type Organization, startOrganization } from "./people.ts";

let organization: Organization;
beforeAll(async () => {
  organization = await startOrganization();
});
afterAll(() => organization.product.close());

test("a person in a hundred organizations founds no other: each is read with every profile", async () => {
  const { owner, product } = organization;
  const { stores } = product.dependencies;
  const person = { userId: owner.userId, email: "owner@example.com", createdAt: 0 };
  for (let count = 1; count < 99; count++) await createdOrganization(stores, person);
  expect((await owner.call("POST", "/organizations", { name: "The hundredth" })).status).toBe(201);
  const { status, body } = await owner.call("POST", "/organizations", { name: "One more" });
  expect([status, body.detail]).toEqual([409, "You belong to 100 organizations, which is the most: leave one first."]);
  expect(await stores.directory.memberships(owner.userId)).toHaveLength(100);
});
