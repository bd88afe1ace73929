import fc from "fast-check";
import { expect, test } from "vitest";
import { isNetwork, networkMatcher, parseIpAddress } from "../../lib/net/networks.ts";

test.each([
  ["10.0.0.0/8", "10.255.0.1", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["10.1.2.3", "10.1.2.3", true],
  ["10.1.2.3", "10.1.2.4", false],
  ["10.1.2.3/8", "10.9.9.9", true],
  ["0.0.0.0/0", "203.0.113.7", true],
  ["0.0.0.0/0", "2001:db8::1", false],
  ["::/0", "2001:db8::1", true],
  ["::/0", "203.0.113.7", false],
  ["2001:db8::/33", "2001:db8:7fff::1", true],
  ["2001:db8::/33", "2001:db8:8000::1", false],
  ["10.0.0.0/8", "::ffff:10.1.1.1", true],
  ["::ffff:10.0.0.0/104", "10.1.1.1", true],
  ["fe80::/10", "fe80::1%eth0", true],
])("%s and %s", (network, address, expected) => {
  const parsed = parseIpAddress(address);
  expect(parsed).toBeDefined();
  expect(parsed !== undefined && networkMatcher([network])(parsed)).toBe(expected);
});

test.each([
  "",
  "10.0.0",
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "::/129",
  "::ffff:10.0.0.0/95",
  "fe80::1%eth0",
  "example.com",
  "10.0.0.0/8 ",
  "0x0a.0.0.0/8",
])("%s is no network", (text) => expect(isNetwork(text)).toBe(false));

test("a network holds an address as its bits say", () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (base, address, bits) => {
      const parsed = parseIpAddress(address);
      const prefix = (text: string) => bitsOf(text).slice(0, bits);
      const holds = parsed !== undefined && networkMatcher([`${base}/${bits}`])(parsed);
      expect(holds).toBe(prefix(base) === prefix(address));
    }),
  );
});

test("texts that are no address are none, and nothing throws", () => {
  fc.assert(fc.property(fc.string(), (text) => void parseIpAddress(text)));
  for (const text of ["", "1", "127.1", "010.0.0.1", "1.2.3.4:80", "[::1]", "::1::", "localhost"]) {
    expect(parseIpAddress(text)).toBeUndefined();
  }
});

function bitsOf(address: string): string {
  return address
    .split(".")
    .map((byte) => Number(byte).toString(2).padStart(8, "0"))
    .join("");
}
