import { afterAll, beforeAll, expect, test } from "vitest";
import { callExample } from "../management/call.ts";
import { OPERATIONS } from "../management/documented.ts";
import { EXAMPLE_CALLS } from "../management/example-calls.ts";
import { startWorld, type World } from "../management/people.ts";
import { ISSUER } from "../support/in-process.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld({}, "passkey");
});
afterAll(() => world.product.close());

/** What other sites' pages, and frames without an origin, make browsers send. */
const FORGED: readonly Readonly<Record<string, string>>[] = [
  { Origin: "null" },
  { Origin: "https://elsewhere.example" },
  { Origin: `${ISSUER}.elsewhere.example` },
  { Origin: `${ISSUER}:8443` },
  { Origin: ISSUER.replace("https:", "http:") },
  { Origin: `${ISSUER}, https://elsewhere.example` },
  { "Sec-Fetch-Site": "cross-site" },
  { "Sec-Fetch-Site": "same-site" },
  { "Content-Type": "text/plain" },
  { "Content-Type": "text/plain; charset=application/json" },
  { "Content-Type": "application/x-www-form-urlencoded" },
  { "Content-Type": "multipart/form-data; boundary=application/json" },
];

/** Of one session, at the first organization. */
async function ownersCredentials(): Promise<Readonly<Record<string, string>>> {
  const { callers, organizationId } = world;
  return { ...(await callers["an owner"].credentials()), "Countersign-Organization": organizationId };
}

const changing = OPERATIONS.filter(({ method }) => method !== "get");

test.each(changing)("33. $operationId is refused when another site makes the browser send it", async (operation) => {
  const isPublic = operation["x-countersign-role"] === "public";
  const credentials = isPublic ? {} : await ownersCredentials();
  const caller = { credentials: async () => credentials };
  const example = await EXAMPLE_CALLS[operation.operationId]?.(world, { userId: world.ownerId, credentials });
  for (const headers of FORGED) {
    const { answer } = await callExample(world, operation, caller, { example, headers });
    expect([headers, answer.status, answer.headers.getSetCookie()]).toEqual([headers, 403, []]);
  }
  // Nothing of that had an effect: the person's own page can do it still.
  const own = { Origin: ISSUER, "Sec-Fetch-Site": "same-origin" };
  const { answer } = await callExample(world, operation, caller, { example, headers: own });
  expect(answer.status).toBeLessThan(300);
});

test("33. no request by GET or HEAD changes anything, whatever method it says that it means", async () => {
  const headers = { "X-HTTP-Method-Override": "DELETE", "X-HTTP-Method": "DELETE", "X-Method-Override": "DELETE" };
  const credentials = await ownersCredentials();
  const userId = await world.newMember();
  for (const method of ["GET", "HEAD"]) {
    const path = `/api/v1/members/${userId}?_method=DELETE`;
    const answer = await world.product.send(path, { method, headers: { ...headers, ...credentials } });
    expect(answer.status).toBe(405);
  }
  expect(await world.product.dependencies.stores.directory.getPerson(userId)).toBeDefined();
});
