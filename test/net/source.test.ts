import { expect, test } from "vitest";
import { networkKey, sourceKey } from "../../lib/net/source.ts";

test("7. all addresses of one IPv6 /64 share a budget, and those of another do not", () => {
  const key = sourceKey("2001:db8:0:1::1");
  expect(sourceKey("2001:0DB8:0000:0001:ffff:ffff:ffff:ffff")).toBe(key);
  expect(sourceKey("2001:db8:0:1:2::")).toBe(key);
  expect(sourceKey("2001:db8:0:2::1")).not.toBe(key);
  expect(sourceKey("2001:db8::1")).not.toBe(key);
});

test("a link-local address counts without its zone", () => {
  expect(sourceKey("fe80::1%eth0")).toBe(sourceKey("fe80::2%eth1"));
});

test("an IPv4 address counts alone, however it is written", () => {
  expect(sourceKey("::ffff:203.0.113.7")).toBe("203.0.113.7");
  expect(sourceKey("203.0.113.7")).toBe("203.0.113.7");
  expect(sourceKey("203.0.113.8")).not.toBe(sourceKey("203.0.113.7"));
});

test("callers whose address nobody tells share one budget", () => {
  expect(sourceKey(undefined)).toBe("unknown");
});

test.for([
  ["203.0.113.7", "203.0.113.0/24"],
  ["::ffff:203.0.113.9", "203.0.113.0/24"],
  ["2001:db8:0:1::1", "2001:db8:0::/48"],
  ["2001:0DB8::ffff:1", "2001:db8:0::/48"],
  ["fe80::1%eth0", "fe80:0:0::/48"],
  [undefined, "unknown"],
] as const)("50. the network of %s is %s", ([address, network]) => {
  expect(networkKey(address)).toBe(network);
});
