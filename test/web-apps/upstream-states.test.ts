import { afterEach, expect, test } from "vitest";
import { createOrganizationOf } from "../../lib/gateway/organization.ts";
import { createUpstreamStates, unreachableUpstreams } from "../../lib/gateway/upstream-states.ts";
import { organizationUpstreams } from "../../lib/management/representations/gateway.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";
import { webApp } from "../support/web-app.ts";

let product: InProcess | undefined;
afterEach(async () => {
  await product?.close();
  product = undefined;
});

const SCRIPT = { headers: { "sec-fetch-mode": "cors" } };

test("health names a web app whose upstream did not answer the latest request, until it answers, and stays up", async () => {
  let status = 0;
  const [policy] = webApp("pay").policies;
  const open = { ...(policy ?? expect.fail("there is one")), allowUnauthenticated: true, idps: [] };
  product = await startInProcess({
    configuration: { apps: [webApp("pay", { policies: [open] }), webApp("wiki", { policies: [open] })] },
    adapt: (dependencies) => ({
      ...dependencies,
      forward: () => async () => {
        if (status === 0) throw new TypeError("nobody is there");
        return { status, headers: new Headers(), body: null };
      },
    }),
  });
  const { send } = product;
  const health = async () => (await (await send("/status")).json()) as { readonly components?: readonly object[] };
  const before = (await health()).components ?? [];
  expect((await send("/pay", SCRIPT)).status).toBe(502);
  expect((await health()).components).toEqual([...before, { name: "app:pay", status: "down" }]);
  status = 500;
  expect((await send("/pay", SCRIPT)).status).toBe(500);
  expect((await health()).components ?? []).toEqual(before);
});

test.each<[string | undefined, "up" | "down" | "unknown"]>([
  [undefined, "up"],
  ["unreachable", "down"],
  ["timeout", "down"],
  ["malformed", "up"],
  ["client_left", "unknown"],
  ["too_large", "unknown"],
])("a request that ends with %s says that the upstream is %s", (reason, state) => {
  const upstreams = createUpstreamStates();
  upstreams.note("pay", reason === undefined ? {} : { reason });
  expect(upstreams.state("pay")).toBe(state);
  expect(unreachableUpstreams({ upstreams })).toEqual(state === "down" ? [{ app: "pay" }] : []);
});

test("the list of upstreams has the web apps of the organization, with their origins and nothing more", async () => {
  const upstream = "https://pay.internal.example:8443/base";
  const apps = [webApp("pay", { upstream }), webApp("theirs", { organization: "org_else" })];
  product = await startInProcess({ configuration: { apps } });
  const { dependencies } = product;
  const upstreams = createUpstreamStates();
  upstreams.note("pay", { reason: "timeout" });
  const organizationOf = createOrganizationOf(dependencies);
  const ports = { configuration: dependencies.configuration, organizationOf, upstreams };
  const first = await organizationOf({});
  expect(await organizationUpstreams(ports, first ?? "")).toEqual([
    { app: "pay", type: "web", origin: "https://pay.internal.example:8443", state: "down" },
  ]);
  expect(await organizationUpstreams(ports, "org_else")).toMatchObject([{ app: "theirs", state: "unknown" }]);
});
