import { expect, test } from "vitest";
import { VERSION } from "../../lib/kernel/version.ts";
import manifest from "../../package.json" with { type: "json" };

test("the product says the version of its package", () => {
  expect(VERSION).toBe(manifest.version);
});
