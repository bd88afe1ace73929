import { expect, test } from "vitest";
import { CLIENT } from "./authorization-server.ts";
import { RESOURCE, trusted } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const it = withGateway();

test("a server that does not answer an introspection is given up after the configured time", async () => {
  let asked = 0;
  const silent: typeof globalThis.fetch = (input, init) => {
    if (!String(input).endsWith("/introspection")) return fetch(input, init);
    asked += 1;
    return new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason), { once: true });
    });
  };
  const introspection = { clientID: CLIENT.id, clientSecret: CLIENT.secret, timeout: 50, maxRetries: 0 };
  await it.restart({
    servers: [trusted(it.server.wellKnown, { method: "introspection", introspection })],
    fetch: silent,
  });
  expect(await it.statusOf(await it.server.token(RESOURCE, "opaque"))).toBe(503);
  expect(asked).toBe(1);
});
