import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callExample } from "../management/call.ts";
import { type DocumentedOperation, OPERATIONS, successOf } from "../management/documented.ts";
import type { ExampleCall } from "../management/example-calls.ts";
import { expectDocumented } from "../management/judge.ts";
import { type CallerName, PERMISSIONS, startWorld, type World } from "../management/people.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld({}, "passkey");
});
afterAll(() => world.product.close());

/** Calls that were refused, and can be made again. */
const unused = new Map<DocumentedOperation, ExampleCall>();

/** The status that a caller is to get; undefined: that of success. */
type Rule = (operation: DocumentedOperation) => number | undefined;

const isPublic = (operation: DocumentedOperation) => operation["x-countersign-role"] === "public";
const isOwnersOnly = (operation: DocumentedOperation) => operation["x-countersign-role"] === "owner";
const isOwn = (operation: DocumentedOperation) => operation["x-countersign-role"] === "person";

/** Whether an operation is about one record of the organization, and not a list or the instance. */
const namesRecord = ({ path, parameters = [] }: DocumentedOperation) =>
  path.includes("{") || parameters.some((parameter) => parameter.in === "query" && parameter.required);

const RULES: Readonly<Record<CallerName, Rule>> = {
  nobody: (operation) => (isPublic(operation) ? undefined : 401),
  "somebody without organization": (operation) => (isPublic(operation) ? undefined : 403),
  "a member": (operation) => (isOwnersOnly(operation) ? 403 : undefined),
  "an owner": () => undefined,
  "an owner of another organization": (operation) => {
    if (isPublic(operation) || isOwn(operation)) return undefined;
    if (operation["x-countersign-organization"] === "first") return 403;
    // There the person has no agent to try tools with.
    if (operation.operationId === "tryTools") return 409;
    return namesRecord(operation) ? 404 : undefined;
  },
  "an API client with every permission": (operation) => {
    return isPublic(operation) || operation["x-countersign-scope"] !== undefined ? undefined : 403;
  },
  "an API client without permissions": (operation) => (isPublic(operation) ? undefined : 403),
};

test("32. every operation says who may call it, and with which permission", () => {
  for (const operation of OPERATIONS) {
    const { operationId, "x-countersign-role": role, "x-countersign-scope": scope } = operation;
    expect(["public", "person", "member", "owner"], operationId).toContain(role);
    if (scope !== undefined) expect(PERMISSIONS, operationId).toContain(scope);
  }
});

for (const caller of Object.keys(RULES) as CallerName[]) {
  describe(`32. ${caller}`, () => {
    for (const operation of OPERATIONS) {
      const expected = RULES[caller](operation);
      test(`32. ${operation.operationId} by ${caller} ${expected === undefined ? "succeeds" : `is ${expected}`}`, async () => {
        const known = expected === undefined ? undefined : unused.get(operation);
        const { answer, example } = await callExample(world, operation, world.callers[caller], { example: known });
        if (expected !== undefined) unused.set(operation, example);
        expect(await statusOf(answer)).toBe(expected ?? example.status ?? successOf(operation));
        await expectDocumented(operation, answer);
      });
    }
  });
}

describe("32. across organizations and people", () => {
  const forOrganization = OPERATIONS.filter((operation) => !isPublic(operation) && !isOwn(operation));
  test.each(forOrganization)(
    "32. $operationId for an organization that the person is not of is 404",
    async (operation) => {
      const headers = { "Countersign-Organization": world.organizationId };
      const { answer } = await callExample(world, operation, world.callers["an owner of another organization"], {
        headers,
      });
      expect(await statusOf(answer)).toBe(404);
    },
  );

  const lists = forOrganization.filter((operation) => operation.method === "get" && !namesRecord(operation));
  test.each(lists)("32. $operationId shows another organization nothing of the first one", async (operation) => {
    const { answer } = await callExample(world, operation, world.callers["an owner of another organization"]);
    const text = await answer.text();
    for (const id of [world.organizationId, world.ownerId]) expect(text).not.toContain(id);
  });

  const ownRecords = OPERATIONS.filter((operation) => isOwn(operation) && namesRecord(operation));
  test.each(ownRecords)("32. $operationId of somebody else's record is 404, also for an owner", async (operation) => {
    const subject = await world.newMember();
    const { answer } = await callExample(world, operation, world.callers["an owner"], { subject });
    expect(await statusOf(answer)).toBe(404);
  });
});

const byScope = OPERATIONS.filter((operation) => operation["x-countersign-scope"] !== undefined);
test.each(byScope)("32. $operationId is not for an API client that has every other permission", async (operation) => {
  const { "x-countersign-scope": scope } = operation;
  const client = await world.newApiClient(PERMISSIONS.filter((permission) => permission !== scope));
  const { answer } = await callExample(world, operation, client);
  expect(await statusOf(answer)).toBe(403);
  const challenge = `Bearer realm="countersign", error="insufficient_scope", scope="${scope}"`;
  expect(answer.headers.get("WWW-Authenticate")).toBe(challenge);
});

const INSTANCE_READERS: Readonly<Record<CallerName, number>> = {
  "an owner": 200,
  "a member": 403,
  "an owner of another organization": 403,
  "an API client with every permission": 403,
  "an API client without permissions": 403,
  "somebody without organization": 403,
  nobody: 401,
};

test.each(Object.entries(INSTANCE_READERS))(
  "32. the audit records of the instance for %s: %i",
  async (caller, expected) => {
    const operation = OPERATIONS.find(({ operationId }) => operationId === "listAuditEvents") as DocumentedOperation;
    const query = { instance: "true" };
    const { answer } = await callExample(world, operation, world.callers[caller as CallerName], { query });
    expect(await statusOf(answer)).toBe(expected);
  },
);

/** Says what the answer was where it is not the expected one. */
async function statusOf(answer: Response): Promise<number> {
  if (answer.status >= 500) expect.fail(await answer.clone().text());
  return answer.status;
}
