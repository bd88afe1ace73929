import { afterAll, beforeAll, expect, test } from "vitest";
import { callExample } from "./call.ts";
import { OPERATIONS } from "./documented.ts";
import { EXAMPLE_CALLS } from "./example-calls.ts";
import { expectAccepted, expectDocumented } from "./judge.ts";
import { startWorld, type World } from "./people.ts";

// That answers of success and of missing rights are what the document says is looked at with the role matrix.

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.close());

test("each operation has an example call, and each example an operation", () => {
  expect(Object.keys(EXAMPLE_CALLS).sort()).toEqual(OPERATIONS.map(({ operationId }) => operationId).sort());
});

test.each(OPERATIONS)("$operationId takes its example by the document, too", async (operation) => {
  const caller = world.callers["an owner"];
  const credentials = await caller.credentials();
  const example = await EXAMPLE_CALLS[operation.operationId]?.(world, { userId: world.ownerId, credentials });
  expectAccepted(operation, example ?? expect.fail("there is no example"));
});

const withBody = OPERATIONS.filter(({ requestBody }) => requestBody !== undefined);
test.each(withBody)("$operationId refuses a body that is not sent as JSON, as documented", async (operation) => {
  const headers = { "Content-Type": "text/plain" };
  const { answer } = await callExample(world, operation, world.callers["an owner"], { headers, body: "{}" });
  expect(answer.status).toBe(403);
  await expectDocumented(operation, answer);
});

test.each(withBody)("$operationId refuses a field that it does not have, as documented", async (operation) => {
  const body = { surprise: true };
  const { answer } = await callExample(world, operation, world.callers["an owner"], { body });
  expect([400, 403, 422]).toContain(answer.status);
  await expectDocumented(operation, answer);
});

const isPublic = (operation: (typeof OPERATIONS)[number]) => operation["x-countersign-role"] === "public";
const forCallers = OPERATIONS.filter((operation) => !isPublic(operation));
test.each(forCallers)(
  "$operationId refuses a query parameter that it does not have, as documented",
  async (operation) => {
    const query = { surprise: "1" };
    const { answer } = await callExample(world, operation, world.callers["an owner"], { query });
    expect(answer.status).toBe(422);
    await expectDocumented(operation, answer);
  },
);

const conditional = OPERATIONS.filter(({ parameters = [] }) => parameters.some(({ name }) => name === "If-Match"));
test.each(conditional)("$operationId with an entity tag of before is 412, as documented", async (operation) => {
  const headers = { "If-Match": '"999999"' };
  const { answer } = await callExample(world, operation, world.callers["an owner"], { headers });
  expect(answer.status).toBe(412);
  await expectDocumented(operation, answer);
});

const aboutOne = forCallers.filter(({ path }) => path.includes("{"));
test.each(aboutOne)("$operationId of what does not exist is 404, as documented", async (operation) => {
  const { answer } = await callExample(world, operation, world.callers["an owner"], { path: "unknown" });
  expect(answer.status).toBe(404);
  await expectDocumented(operation, answer);
});
