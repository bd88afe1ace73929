import { expect, test } from "vitest";
import { limitOf, limitValues } from "../../console/pages/limits/limit-values.ts";
import type { LimitSetting } from "../../lib/management/schemas/gateway-settings.ts";

test.each<LimitSetting>([
  { name: "rate", rate: "100/s", burst: 7, exact: false },
  { name: "lists of one", per: ["client"], for: { endpoint: ["mcp"], app: ["books"] }, quota: "10/day" },
  { name: "patterns with commas", for: { tool: ["/a{1,2}/", "b"] }, concurrent: 5, unavailable: "allow" },
  { name: "written out", for: { endpoint: "mcp" }, bytes: "1MB/h", exact: true },
])("a limit that nobody changes stays as it is: $name", (limit) => {
  expect(limitOf(limitValues(limit), limit)).toEqual(limit);
});

test("a placeholder in the place of a number stays one", () => {
  const limit = { name: "burst", rate: "1/s", burst: "{{ env.BURST }}" } as unknown as LimitSetting;
  expect(limitOf(limitValues(limit), limit)).toEqual(limit);
});
