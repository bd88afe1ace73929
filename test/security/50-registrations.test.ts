import { describe, expect, test } from "vitest";
import { createRegistrationLimit } from "../../lib/authorization-server/clients/register-client.ts";

/** How many registrations of these addresses are accepted at one moment. */
function accepted(limit: ReturnType<typeof createRegistrationLimit>, addresses: readonly string[]): number {
  return addresses.filter((address) => {
    try {
      limit.admit(address);
      return true;
    } catch {
      return false;
    }
  }).length;
}

const times = <T>(count: number, made: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => made(at));

describe("50. registrations of one source leave room for others", () => {
  const started = () => createRegistrationLimit({ now: () => 1_000_000 });

  test("an address leaves room to its network, and a network to all others", () => {
    const limit = started();
    expect(
      accepted(
        limit,
        times(100, () => "203.0.113.7"),
      ),
    ).toBe(20);
    expect(
      accepted(
        limit,
        times(100, (at) => `203.0.113.${at}`),
      ),
    ).toBe(50 - 20);
    expect(
      accepted(
        limit,
        times(100, () => "198.51.100.1"),
      ),
    ).toBe(20);
    expect(
      accepted(
        limit,
        times(1_000, (at) => `2001:db8:1:${at.toString(16)}::1`),
      ),
    ).toBe(50);
  });

  test("who floods from many networks does not keep a new one out", () => {
    const limit = started();
    const flood = times(20, (at) => times(100, (host) => `10.0.${at}.${host}`)).flat();
    expect(accepted(limit, flood)).toBe(200 + (20 - 4) * 2);
    expect(accepted(limit, ["192.0.2.1", "2001:db8::1"])).toBe(2);
  });
});
