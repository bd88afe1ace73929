import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { equalSecrets } from "../../lib/directory/equal-secrets.ts";
import { parseEmail } from "../../lib/directory/fields.ts";
import { ensureOrganization } from "../../lib/directory/first-owner.ts";
import { setUp } from "../../lib/directory/setup.ts";
import { ProblemError } from "../../lib/problem.ts";
import { openTestInstance, type TestInstance } from "./instance.ts";

const REQUEST = { token: "a setup token", organization: "Acme", email: "Ada@Example.com" };
let instance: TestInstance;
beforeEach(() => {
  instance = openTestInstance();
});
afterEach(() => instance.close());

test("setup makes one owner of 20 parallel attempts", async () => {
  const attempts = Array.from({ length: 20 }, (_, i) =>
    setUp(instance.dependencies, { ...REQUEST, email: `user${i}@example.com` }, "request").catch(codeOf),
  );
  const results = await Promise.all(attempts);
  expect(results.filter((result) => result.startsWith("user_"))).toHaveLength(1);
  expect(results.filter((result) => result === "forbidden")).toHaveLength(19);
});

test("setup keeps the address in lower case and records who became owner", async () => {
  const userId = await setUp(instance.dependencies, REQUEST, "request");
  const { directory, auditLog } = instance.dependencies.stores;
  expect(await directory.getPerson(userId)).toMatchObject({ email: "ada@example.com" });
  const [membership] = await directory.memberships(userId);
  expect(membership).toMatchObject({ role: "owner" });
  const { items } = await auditLog.query({ organizationId: membership?.organizationId }, { limit: 10 });
  expect(items).toMatchObject([{ type: "member.added", user: userId, actor: userId, details: { role: "owner" } }]);
});

test("an organization that an operator made is taken over by the first owner", async () => {
  const made = await ensureOrganization(instance.dependencies);
  expect(await ensureOrganization(instance.dependencies)).toEqual(made);
  const userId = await setUp(instance.dependencies, REQUEST, "request");
  const { directory } = instance.dependencies.stores;
  expect(await directory.memberships(userId)).toMatchObject([{ organizationId: made.organizationId, role: "owner" }]);
  expect(await directory.getOrganization(made.organizationId)).toEqual({ ...made, name: "Acme" });
});

test.each(["a setup toke", "a setup token ", "", undefined, 1, null, ["a setup token"]])(
  "a wrong setup token creates nothing: %j",
  async (token) => {
    expect(await setUp(instance.dependencies, { ...REQUEST, token }, "request").catch(codeOf)).toBe("forbidden");
    expect(await instance.dependencies.stores.directory.firstOrganization()).toBeUndefined();
  },
);

test("whoever lacks the setup token learns nothing about the other fields", async () => {
  const refused = await setUp(instance.dependencies, { token: "wrong", email: 7 }, "request").catch(codeOf);
  expect(refused).toBe("forbidden");
});

test("an instance without setup token has no setup", async () => {
  const other = openTestInstance({ console: { enabled: true, baseURL: "http://localhost:8080/console" } });
  expect(await setUp(other.dependencies, REQUEST, "request").catch(codeOf)).toBe("not_found");
  other.close();
});

describe("fields", () => {
  test.each([
    [{ organization: "", email: "a@b.example" }, ["/organization"]],
    [{ organization: "  \t ", email: "a@b.example" }, ["/organization"]],
    [{ organization: "x".repeat(201), email: "nobody" }, ["/organization", "/email"]],
    [{ organization: "a\u0000b", email: "a b@c.example" }, ["/organization", "/email"]],
    [{ email: "a@b.example", role: "admin" }, ["/role", "/organization"]],
  ])("%j is refused with a pointer for each fault", async (fields, pointers) => {
    const error = await setUp(instance.dependencies, { token: REQUEST.token, ...fields }, "request").catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ProblemError);
    expect((error as ProblemError).fields.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test.each(["", "a", "@", "a@", "@b", "a@b@c", "a @b", "a\n@b", `${"a".repeat(251)}@b.c`])(
    "%j is no e-mail address",
    (text) => expect(parseEmail(text)).toBeUndefined(),
  );
});

test("secrets are equal only when every character is", async () => {
  expect(await equalSecrets("secret", "secret")).toBe(true);
  for (const other of ["Secret", "secre", "secrets", ""]) expect(await equalSecrets("secret", other)).toBe(false);
});

function codeOf(error: unknown): string {
  if (error instanceof ProblemError) return error.code;
  throw error;
}
