import { expect, test } from "vitest";
import { warningsOf } from "./support.ts";

const NONE = expect.stringContaining("no transport is enabled: agents cannot connect");
const withTransports = (transports: string) =>
  warningsOf(`version: 1\nmcpProvider: {enabled: true, transports: {${transports}}}`);

test("a gateway without any transport is warned about, and one with either of them is not", async () => {
  expect(await withTransports("")).toContainEqual(NONE);
  expect(await withTransports("stream: {enabled: false}, sse: {enabled: false}")).toContainEqual(NONE);
  for (const transports of ["stream: {enabled: true, path: /mcp}", "sse: {enabled: true, path: /s, messagePath: /m}"]) {
    expect(await withTransports(transports)).not.toContainEqual(NONE);
  }
});
