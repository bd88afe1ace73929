import fc from "fast-check";
import { expect, test } from "vitest";
import { forwardedFor } from "../../lib/net/forwarded.ts";
import { remoteAddressReader } from "../../lib/net/remote-address.ts";

const PROXY = "10.0.0.1";
const CLIENT = "203.0.113.7";
const read = remoteAddressReader(["10.0.0.0/8", "2001:db8:ffff::/48", "192.0.2.1"]);

test("without trusted proxies the fields are ignored", () => {
  const nobody = remoteAddressReader([]);
  expect(nobody({ peer: PROXY, forwardedFor: CLIENT, forwarded: `for=${CLIENT}` })).toBe(PROXY);
});

test("what a peer that is no trusted proxy says is ignored", () => {
  expect(read({ peer: CLIENT, forwardedFor: "1.2.3.4", forwarded: "for=1.2.3.4" })).toBe(CLIENT);
  expect(read({ peer: undefined, forwardedFor: "1.2.3.4" })).toBeUndefined();
  expect(read({ peer: "::ffff:203.0.113.7", forwardedFor: "1.2.3.4" })).toBe("::ffff:203.0.113.7");
});

test.each([
  ["one proxy", PROXY, CLIENT, CLIENT],
  ["a proxy on a socket of both families", `::ffff:${PROXY}`, CLIENT, CLIENT],
  ["a proxy with a link-local zone", "2001:db8:ffff::1%eth0", CLIENT, CLIENT],
  ["several proxies", PROXY, `${CLIENT}, 10.9.9.9, 192.0.2.1`, CLIENT],
  ["what the client wrote before", PROXY, `1.2.3.4, 10.0.0.5, ${CLIENT}, 10.9.9.9`, CLIENT],
  ["a port", PROXY, `${CLIENT}:51234`, CLIENT],
  ["IPv6", PROXY, "2001:DB8:0::7", "2001:db8::7"],
  ["IPv6 in brackets", PROXY, "[2001:db8::7]", "2001:db8::7"],
  ["IPv6 in brackets with a port", PROXY, "[2001:db8::7]:51234", "2001:db8::7"],
  ["an IPv4 address written as IPv6", PROXY, `::ffff:${CLIENT}`, CLIENT],
  ["empty elements", PROXY, `${CLIENT}, ,`, CLIENT],
  ["trusted addresses alone", PROXY, "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["nothing", PROXY, "", PROXY],
  ["unknown", PROXY, "unknown", PROXY],
  ["unknown behind a proxy", PROXY, "1.2.3.4, unknown, 10.0.0.2", "10.0.0.2"],
  ["a text that is no address", PROXY, "1.2.3.4, not an address", PROXY],
  ["an octal look-alike", PROXY, "012.1.1.1", PROXY],
  ["a short address", PROXY, "127.1", PROXY],
])("X-Forwarded-For with %s", (_, peer, forwardedFor, expected) => {
  expect(read({ peer, forwardedFor })).toBe(expected);
});

test.each([
  ["one proxy", `for=${CLIENT}`, CLIENT],
  ["other parameters", `proto=https;For="${CLIENT}:80";by=10.0.0.1`, CLIENT],
  ["IPv6 with a port", 'for="[2001:db8:cafe::17]:4711"', "2001:db8:cafe::17"],
  ["IPv6 without quotation marks", "for=[2001:db8:cafe::17]:4711", "2001:db8:cafe::17"],
  ["several proxies", `for=1.2.3.4, for=${CLIENT};proto=http , for=10.0.0.2`, CLIENT],
  ["an escaped character", `for="203.0.113\\.7"`, CLIENT],
  ["an obfuscated identifier", "for=1.2.3.4, for=_hidden, for=10.0.0.2", "10.0.0.2"],
  ["unknown", "for=unknown", PROXY],
  ["an element without for", `for=1.2.3.4, proto=https`, PROXY],
  ["an open quotation mark", `for=1.2.3.4;x=", for=${CLIENT}`, PROXY],
  ["quotation marks that meet another hop's", `for=1.2.3.4;x=", for="[2001:db8::7]"`, PROXY],
  ["no value", "for=", PROXY],
  ["no name", "=1.2.3.4", PROXY],
])("Forwarded with %s", (_, forwarded, expected) => {
  expect(read({ peer: PROXY, forwarded })).toBe(expected);
});

test("X-Forwarded-For wins, also over a Forwarded that a client sent through", () => {
  expect(read({ peer: PROXY, forwardedFor: CLIENT, forwarded: "for=1.2.3.4" })).toBe(CLIENT);
});

test("whatever a client writes before, it is the address that the proxy saw", () => {
  fc.assert(
    fc.property(fc.string(), fc.ipV4().filter(isStranger), (written, client) => {
      expect(read({ peer: PROXY, forwardedFor: `${written}, ${client}` })).toBe(client);
    }),
  );
});

test("whatever a client writes into Forwarded before, it is the address that the proxy saw or the proxy's", () => {
  const written = fc.string({ unit: fc.constantFrom(...'for=";,\\ 1.:[]_a') });
  const seen = fc.constantFrom(`for=${CLIENT}`, `for="${CLIENT}:1"`, `For="${CLIENT}";by=_a;proto="https"`);
  fc.assert(
    fc.property(written, seen, (text, element) => {
      expect([CLIENT, PROXY]).toContain(read({ peer: PROXY, forwarded: `${text}, ${element}` }));
    }),
    { numRuns: 2_000 },
  );
});

test("any field at all gives the peer or an address, in time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (forwardedFor, forwarded) => {
      for (const fields of [{ forwardedFor }, { forwarded }]) {
        expect(read({ peer: PROXY, ...fields })).toMatch(/^[\d.]+$|^[\da-f:.]+$/);
      }
    }),
  );
  const hostile = [
    " ".repeat(16_000),
    "a=".repeat(8_000),
    '"'.repeat(16_000),
    ",".repeat(16_000),
    `a="${"\\".repeat(16_000)}`,
  ];
  for (const field of hostile) {
    expect(read({ peer: PROXY, forwarded: `${field}@` })).toBe(PROXY);
    expect(read({ peer: PROXY, forwardedFor: `${field}@` })).toBe(PROXY);
  }
});

test("elements of Forwarded keep their order and number", () => {
  fc.assert(
    fc.property(fc.array(fc.ipV4(), { minLength: 1 }), (addresses) => {
      expect(forwardedFor(addresses.map((address) => `proto=http; for="${address}"`).join(","))).toEqual(addresses);
    }),
  );
});

function isStranger(address: string): boolean {
  return !address.startsWith("10.") && address !== "192.0.2.1";
}
