import { afterEach, expect, test } from "vitest";
import { withTelemetry } from "../../lib/application/with-telemetry.ts";
import type { Forward } from "../../lib/reverse-proxy/forward.ts";
import type { Attributes } from "../../lib/telemetry/attributes.ts";
import type { Span, SpanOptions } from "../../lib/telemetry/telemetry.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";
import { webApp } from "../support/web-app.ts";

let product: InProcess | undefined;
afterEach(() => product?.close());

interface Seen {
  readonly options: SpanOptions;
  readonly attributes: Attributes;
  readonly error: string | undefined;
}

/** The product before an open app whose requests are measured, unless spans go nowhere. */
async function start(forward: Forward, hasSpans = true) {
  const spans: Seen[] = [];
  const metrics: { readonly name: string; readonly attributes: Attributes }[] = [];
  const startSpan = (options: SpanOptions): Span => {
    let attributes: Attributes = {};
    return {
      ...{ traceId: "0".repeat(32), isRecorded: true, rename: () => undefined },
      headers: () => ({ traceparent: `of ${options.kind}` }),
      startChild: startSpan,
      set: (more) => {
        attributes = { ...attributes, ...more };
      },
      end: (error) => void spans.push({ options, attributes, error }),
    };
  };
  const telemetry = {
    startSpan: hasSpans ? startSpan : () => undefined,
    record: (name: string, _: number, attributes: Attributes) => void metrics.push({ name, attributes }),
    ...{ countActive: () => undefined, countSession: () => undefined },
  };
  const [policy] = webApp("pay").policies;
  const open = { ...(policy ?? expect.fail("there is one")), allowUnauthenticated: true, idps: [] };
  product = await startInProcess({
    configuration: { apps: [webApp("pay", { upstream: "https://pay.example:8443/base", policies: [open] })] },
    adapt: (dependencies) => withTelemetry({ ...dependencies, forward: () => forward }, telemetry),
  });
  const measured = () => metrics.filter(({ name }) => name === "http.client.request.duration");
  const carried = () => spans.filter(({ options }) => options.kind === "client");
  return { send: product.send, measured, carried };
}

const SENT = {
  "http.request.method": "GET",
  "url.scheme": "https",
  "server.address": "pay.example",
  "server.port": 8443,
};
const CLIENTS = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`, tracestate: "vendor=a" };

test.each<[number, string | undefined]>([
  [200, undefined],
  [404, "404"],
])(
  "a carried request is measured, is a span without its path, and takes the trace along: %i",
  async (status, error) => {
    const arrived: Headers[] = [];
    const { send, measured, carried } = await start(async ({ headers }) => {
      arrived.push(new Headers([...headers].map(([name, value]) => [name, value])));
      return { status, headers: new Headers(), body: null };
    });
    expect((await send("/pay/secret/path?q=1", { headers: CLIENTS })).status).toBe(status);
    const outcome = { "http.response.status_code": status, ...(error !== undefined && { "error.type": error }) };
    expect(measured().map(({ attributes }) => attributes)).toEqual([{ ...SENT, ...outcome }]);
    expect(carried()).toEqual([
      {
        options: { name: "GET", kind: "client" },
        attributes: { ...SENT, ...outcome, "countersign.app": "pay" },
        error,
      },
    ]);
    expect([arrived[0]?.get("traceparent"), arrived[0]?.get("tracestate")]).toEqual(["of client", null]);
  },
);

test("a request that no upstream answers is an error by the name of what was thrown", async () => {
  const { send, measured, carried } = await start(async () => Promise.reject(new TypeError("to a secret address")));
  expect((await send("/pay", { headers: { "sec-fetch-mode": "cors" } })).status).toBe(502);
  expect(measured()).toMatchObject([{ attributes: { "error.type": "TypeError" } }]);
  expect(carried()).toMatchObject([{ error: "TypeError" }]);
  expect(JSON.stringify([measured(), carried()])).not.toContain("secret");
});

test("where spans go nowhere the client's own trace reaches the upstream", async () => {
  const arrived: Headers[] = [];
  const { send, measured } = await start(async ({ headers }) => {
    arrived.push(new Headers([...headers].map(([name, value]) => [name, value])));
    return { status: 200, headers: new Headers(), body: null };
  }, false);
  await send("/pay", { headers: CLIENTS });
  expect(measured()).toHaveLength(1);
  expect(Object.fromEntries(arrived[0] ?? [])).toMatchObject(CLIENTS);
});
