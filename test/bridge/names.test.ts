import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { argumentName, exposedName } from "../../lib/openapi/names.ts";
import { compile } from "./compiled.ts";

const anyName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 100 }),
  fc.string({ minLength: 1, maxLength: 100, unit: fc.constantFrom("a", "b", "_", "/", "-", "1", "é") }),
  fc.stringMatching(/^[a-z]{0,60}_[0-9a-f]{8}$/),
);

describe("37. names of tools", () => {
  test("fit every client and stay what they are when they fit already", async () => {
    await fc.assert(
      fc.asyncProperty(anyName, async (name) => {
        const exposed = await exposedName(name);
        expect(exposed).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(await argumentName(name)).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
        if (/^[A-Za-z0-9-]{1,64}$/.test(name)) expect(exposed).toBe(name);
      }),
    );
  });

  test("differ whenever the originals differ", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(anyName, { maxLength: 30 }), async (names) => {
        // Well-formed text only: halves of surrogate pairs have no encoding of their own.
        const wellFormed = names.filter((name) => name.isWellFormed());
        const exposed = await Promise.all(wellFormed.map((name) => exposedName(name)));
        expect(new Set(exposed).size).toBe(wellFormed.length);
      }),
    );
  });

  test("a changed name never equals a name that was written like it", async () => {
    const changed = await exposedName("repos/get");
    expect(changed).toMatch(/^repos_get_[0-9a-f]{8}$/);
    expect(await exposedName(changed)).not.toBe(changed);
  });

  test("differ whenever the originals differ, also where some end in hashes of their own", async () => {
    const own = fc.stringMatching(/^[0-9a-f]{8}$/);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(anyName, { maxLength: 20 }), fc.uniqueArray(own), async (names, hashes) => {
        const wellFormed = names.filter((name) => name.isWellFormed() && !hashes.includes(name.slice(-8)));
        const marked = hashes.flatMap((hash, index) => [{ name: `${names[index] ?? ""}_${hash}`, hash }]);
        const known = marked.filter(({ name }) => name.isWellFormed());
        const exposed = await Promise.all([
          ...wellFormed.map((name) => exposedName(name)),
          ...known.map(({ name, hash }) => exposedName(name, hash)),
        ]);
        expect(new Set(exposed).size).toBe(wellFormed.length + known.length);
        for (const name of exposed) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });
});

describe("namespaces", () => {
  const document = { paths: { "/a": { get: { operationId: "a" } }, "/b/{id}": { get: { parameters: [ID] } } } };

  test("the app's name comes first unless the configuration says otherwise", async () => {
    const names = async (namespace: { disabled: boolean; name?: string }) =>
      (await compile(document, namespace)).tools.map(({ name }) => name);
    expect(await names({ disabled: false })).toEqual(["app_a", "app_get_b_id"]);
    expect(await names({ disabled: false, name: "x." })).toEqual([
      expect.stringMatching(/^x_a_[0-9a-f]{8}$/),
      expect.stringMatching(/^x_get_b_id_[0-9a-f]{8}$/),
    ]);
    expect(await names({ disabled: true, name: "x" })).toEqual(["a", "get_b_id"]);
  });

  test("operations of one operationId have one hash each, which rules and agents see alike", async () => {
    const operation = (operationId: string) => ({ operationId });
    const { tools } = await compile(
      {
        paths: {
          "/a": { get: operation("list"), post: operation("a/b") },
          "/b": { get: operation("list"), post: operation("a/b") },
        },
      },
      { disabled: false, name: "dups_" },
    );
    const hash = (name: string) => /_([0-9a-f]{8})$/.exec(name)?.[1];
    for (const { name, localName } of tools.filter(({ method }) => method === "GET")) {
      expect(localName).toMatch(/^list_[0-9a-f]{8}$/);
      expect(name).toBe(`dups_${localName}`);
    }
    for (const { name, localName } of tools.filter(({ method }) => method === "POST")) {
      expect(localName).toMatch(/^a\/b_[0-9a-f]{8}$/);
      expect(name).toMatch(/^dups_a_b_[0-9a-f]{8}$/);
      expect(hash(name)).not.toBe(hash(localName));
    }
    expect(new Set(tools.map(({ name }) => name)).size).toBe(4);
  });

  test("operations without operationId whose made names are equal stay apart", async () => {
    const { tools } = await compile({
      paths: { "/a/{b}": { get: { parameters: [{ ...ID, name: "b" }] } }, "/a/b": { get: {} } },
    });
    expect(new Set(tools.map(({ name }) => name)).size).toBe(2);
  });
});

const ID = { name: "id", in: "path", required: true, schema: { type: "string" } };
