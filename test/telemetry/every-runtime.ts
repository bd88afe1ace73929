import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectJson, manage, postForm, signAssertion, tokenEndpointOf, tokenParameters } from "../behaviour/fixture.ts";
import { bearer, call, gatewayToken, post, rpc, STATELESS_META } from "../behaviour/gateway-fixture.ts";
import { eventually } from "../support/eventually.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { COLLECTOR_CREDENTIAL, type Measured, startMeasured } from "./measured.ts";
import type { ReceivedMetric, ReceivedSpan } from "./otlp.ts";
import { type CallerTrace, callerTrace } from "./trace-context.ts";

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
const [DELTA, CUMULATIVE] = [1, 2];

/** What reaches a collector from a running instance. */
export function telemetry(runtime: RuntimeUnderTest): void {
  describe(`telemetry on ${runtime.name}`, () => {
    let it: Measured;
    let token: string;

    beforeAll(async () => {
      it = await startMeasured(runtime);
      token = await gatewayToken(it.region, it.signer);
    });
    afterAll(() => it.stop());

    const requestToken = async (headers: Readonly<Record<string, string>> = {}) => {
      const assertion = await signAssertion(it.signer, it.region);
      return postForm(tokenEndpointOf(it.region), tokenParameters(assertion), headers);
    };
    const spanOf = (trace: CallerTrace, name: string) =>
      it.collector.span((span) => span.traceId === trace.traceId && span.name === name);
    /** At the edge it is a request that exports what is due. */
    const metricWith = async (
      name: string,
      attributes: object,
      more: (metric: ReceivedMetric) => boolean = () => true,
    ) => {
      const isWanted = (metric: ReceivedMetric) =>
        metric.name === name && metric.points.some((point) => contains(point.attributes, attributes)) && more(metric);
      const ask = async () => {
        await fetch(`${it.region.url}/status`);
        return it.collector.metrics().find(isWanted);
      };
      const found = await eventually(ask, (metric) => metric !== undefined);
      if (found === undefined) throw new Error("it was there a moment ago");
      return found;
    };

    test("a request is a span of its caller's trace, named after the route", async () => {
      const trace = callerTrace();
      const { traceparent } = trace;
      const response = await requestToken({ traceparent, tracestate: "vendor=a,other=b" });
      expect(response.status).toBe(200);
      const { hostname, port } = new URL(it.region.url);
      const span = await spanOf(trace, "POST /oauth2/token");
      expect(span).toMatchObject({
        kind: SERVER,
        parentSpanId: trace.spanId,
        traceState: "vendor=a,other=b",
        status: 0,
      });
      expect(span.attributes).toEqual({
        "http.request.method": "POST",
        "http.route": "/oauth2/token",
        "http.response.status_code": 200,
        "url.scheme": "http",
        "server.address": hostname,
        "server.port": Number(port),
      });
    });

    test("a request without a trace, or with a malformed one, begins its own", async () => {
      const traceparent = "00-00000000000000000000000000000000-0000000000000000-01";
      await fetch(`${it.region.url}/oauth2/jwks`, { headers: { traceparent } });
      const span = await it.collector.span(({ name }) => name === "GET /oauth2/jwks");
      expect(span).toMatchObject({ parentSpanId: "", traceState: "" });
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
    });

    test("a caller that does not sample its trace leaves no span", async () => {
      const [silent, loud] = [callerTrace({ isSampled: false }), callerTrace()];
      await requestToken({ traceparent: silent.traceparent });
      await requestToken({ traceparent: loud.traceparent });
      await spanOf(loud, "POST /oauth2/token");
      expect(it.collector.spans().filter(({ traceId }) => traceId === silent.traceId)).toEqual([]);
    });

    test("parameters of a path and paths that nobody serves are in no span", async () => {
      const [known, unknown] = [callerTrace(), callerTrace()];
      await manageWith(known, `${it.region.url}/api/v1/api-clients/${it.signer.clientId}`);
      await manageWith(unknown, `${it.region.url}/made-up/by-a-caller`);
      await spanOf(known, "GET /api/v1/api-clients/:clientId");
      const span = await spanOf(unknown, "GET");
      expect(span.attributes).not.toHaveProperty("http.route");
      expect(exported(it)).not.toContain("by-a-caller");
    });

    test("a tool call is a span inside its request's, and the upstream's request one inside it", async () => {
      const trace = callerTrace();
      const response = await callTool("getNote", { noteId: "1" }, { traceparent: trace.traceparent });
      expect((await rpc(response)).result?.isError).toBeFalsy();
      const request = await spanOf(trace, "POST /mcp");
      const operation = await spanOf(trace, "tools/call upstream_getNote");
      const upstream = await spanOf(trace, "GET /notes/{noteId}");
      expect([request.kind, operation.kind, upstream.kind]).toEqual([SERVER, SERVER, CLIENT]);
      expect(operation.parentSpanId).toBe(request.spanId);
      expect(upstream.parentSpanId).toBe(operation.spanId);
      expect(operation.attributes).toEqual({
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": "2025-06-18",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "upstream_getNote",
        "countersign.app": "upstream",
      });
      const { hostname, port } = new URL(it.upstream.url);
      expect(upstream.attributes).toEqual({
        "http.request.method": "GET",
        "http.response.status_code": 200,
        "server.address": hostname,
        "server.port": Number(port),
        "url.scheme": "http",
        "url.template": "/notes/{noteId}",
      });
    });

    test("the upstream learns the trace from us, whatever the agent calls its own", async () => {
      const trace = callerTrace();
      await rpc(await callTool("getNote", { noteId: "1" }, { traceparent: trace.traceparent, tracestate: "v=1" }));
      const span = await spanOf(trace, "GET /notes/{noteId}");
      const arrived = it.upstream.requests.find(({ headers }) => headers.traceparent?.includes(trace.traceId));
      expect(arrived?.headers).toMatchObject({
        traceparent: `00-${trace.traceId}-${span.spanId}-01`,
        tracestate: "v=1",
      });
    });

    test.each([
      ["session", { "mcp-protocol-version": "2025-06-18" }, {}],
      ["stateless", { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }, STATELESS_META],
    ])(
      "a trace in `_meta` of the %s generation is the operation's, linked to the request",
      async (_, headers, meta) => {
        const [http, mcp] = [callerTrace(), callerTrace()];
        const params = { _meta: { ...meta, traceparent: mcp.traceparent } };
        const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params };
        const response = await post(it.region, message, {
          ...bearer(token),
          ...headers,
          traceparent: http.traceparent,
        });
        expect((await rpc(response)).result).toBeDefined();
        const request = await spanOf(http, "POST /mcp");
        const operation = await spanOf(mcp, "tools/list");
        expect(operation.parentSpanId).toBe(mcp.spanId);
        expect(operation.links).toEqual([{ traceId: http.traceId, spanId: request.spanId }]);
      },
    );

    test("what an agent or an upstream does wrong is told by its kind", async () => {
      const traces = [callerTrace(), callerTrace(), callerTrace(), callerTrace()] as const;
      const [failing, unknown, unserved, anonymous] = traces;
      await rpc(await callTool("failure", {}, { traceparent: failing.traceparent }));
      await rpc(await callTool("no_such_tool", {}, { traceparent: unknown.traceparent }));
      await rpc(await send({ jsonrpc: "2.0", id: 1, method: "made/up" }, { traceparent: unserved.traceparent }));
      await post(it.region, call("getNote"), { traceparent: anonymous.traceparent });

      const operation = await spanOf(failing, "tools/call upstream_failure");
      expect(operation).toMatchObject({ status: 2, attributes: { "error.type": "tool_error" } });
      const upstream = await spanOf(failing, "GET /odd/failure");
      expect(upstream).toMatchObject({ status: 2, attributes: { "error.type": "500" } });
      const notFound = await spanOf(unknown, "tools/call");
      expect(notFound.attributes).toMatchObject({ "error.type": "-32602", "rpc.response.status_code": "-32602" });
      expect(notFound.attributes).not.toHaveProperty("gen_ai.tool.name");
      expect((await spanOf(unserved, "_OTHER")).attributes).toMatchObject({ "error.type": "-32601" });
      // The gateway did what it should: a refusal is the client's error.
      expect(await spanOf(anonymous, "POST /mcp")).toMatchObject({
        status: 0,
        attributes: { "http.response.status_code": 401 },
      });
    });

    test("metrics count requests by route and status, operations by tool, and what tokens were asked for", async () => {
      await requestToken();
      await postForm(tokenEndpointOf(it.region), { grant_type: "urn:made:up" });
      await postForm(tokenEndpointOf(it.region), "grant_type=a&grant_type=b");
      await rpc(await callTool("getNote", { noteId: "1" }));
      await post(it.region, call("getNote"), bearer(`${token.slice(0, -1)}~`));

      const requests = await metricWith("http.server.request.duration", {
        "http.request.method": "POST",
        "http.route": "/oauth2/token",
        "http.response.status_code": 200,
        "url.scheme": "http",
      });
      expect(requests).toMatchObject({ kind: "histogram", unit: "s" });
      expect(requests.temporality).toBe(runtime.name === "workerd" ? DELTA : CUMULATIVE);
      expect(requests.points[0]?.bounds).toEqual([
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
      ]);
      await metricWith("http.client.request.duration", {
        "http.request.method": "GET",
        "http.response.status_code": 200,
      });
      await metricWith("mcp.server.operation.duration", { "gen_ai.tool.name": "upstream_getNote" });
      const grant = "countersign.grant";
      await metricWith("countersign.token.requests", {
        [grant]: "client_credentials",
        "countersign.outcome": "issued",
      });
      await metricWith("countersign.token.requests", {
        [grant]: "_OTHER",
        "countersign.outcome": "unsupported_grant_type",
      });
      await metricWith("countersign.token.requests", { [grant]: "_OTHER", "countersign.outcome": "invalid_request" });
      const server = `${it.region.url}/.well-known/openid-configuration`;
      await metricWith("countersign.inbound.authentications", {
        "countersign.server": server,
        "countersign.outcome": "accepted",
      });
      await metricWith("countersign.inbound.authentications", {
        "countersign.server": server,
        "countersign.outcome": "refused",
      });
    });

    test("a request that is being answered is active, and memory is told where the platform does", async () => {
      const response = callTool("slow");
      await eventually(
        async () => it.upstream.waiting,
        (count) => count === 1,
      );
      try {
        const active = { "http.request.method": "POST", "url.scheme": "http" };
        const isActive = ({ points }: ReceivedMetric) =>
          points.some(({ attributes, value }) => contains(attributes, active) && value > 0);
        await metricWith("http.server.active_requests", active, isActive);
        await metricWith("countersign.mcp.active_sessions", {});
        const names = it.collector.metrics().map(({ name }) => name);
        expect(names.includes("process.memory.usage")).toBe(runtime.name !== "workerd");
      } finally {
        it.upstream.release();
        await (await response).text();
      }
    });

    test("everything says which instance it is from", async () => {
      await requestToken();
      const { resource } = await it.collector.span((span) => span.resource["countersign.region"] === "us");
      expect(resource).toMatchObject({
        "service.name": "countersign",
        "service.version": "0.1.0",
        "countersign.region": "us",
        "telemetry.sdk.name": "opentelemetry",
      });
      const soid = `"soid":"${resource["service.instance.id"]}"`;
      expect(it.region.logs().some((line) => line.includes(soid))).toBe(true);
    });

    test("log entries and the audit record of a call name the trace", async () => {
      const trace = callerTrace();
      await rpc(await callTool("getNote", { noteId: "1" }, { traceparent: trace.traceparent }));
      const entries = () => it.region.logs().filter((line) => line.includes(trace.traceId));
      await eventually(
        async () => entries(),
        (lines) => lines.length > 0,
      );
      const answer = await manage(it.owner, "GET", "/audit-events?type=tool.invoked");
      const { items } = await expectJson<{ items: { details?: { traceId?: string } }[] }>(answer, 200);
      expect(items.map(({ details }) => details?.traceId)).toContain(trace.traceId);
    });

    test("no answer, and no end of a stream, waits for the collector", async () => {
      const received = it.collector.exports.length;
      it.collector.answerWith(undefined);
      try {
        expect((await requestToken()).status).toBe(200);
        expect((await rpc(await callTool("getNote", { noteId: "1" }))).result).toBeDefined();
        await eventually(
          async () => it.collector.exports.length,
          (count) => count > received,
        );
      } finally {
        it.collector.answerWith(() => ({ status: 200 }));
      }
    });

    test("a call whose agent leaves is measured to its end", async () => {
      const trace = callerTrace();
      const leaving = new AbortController();
      const message = call("slow");
      const headers = { ...bearer(token), traceparent: trace.traceparent };
      const response = post(it.region, message, headers, leaving.signal).then((answer) => answer.text());
      await eventually(
        async () => it.upstream.waiting,
        (count) => count === 1,
      );
      leaving.abort();
      await expect(response).rejects.toThrow();
      // Nobody tells Lambda that the agent left: there the call runs to its end.
      if (runtime.name === "lambda") it.upstream.release();
      const operation = await spanOf(trace, "tools/call upstream_slow");
      expect((await spanOf(trace, "POST /mcp")).spanId).toBe(operation.parentSpanId);
    });

    test("a policy that decides is a span inside the call, and a duration", async () => {
      const trace = callerTrace();
      await rpc(await callTool("deleteNote", { noteId: "1" }, { traceparent: trace.traceparent }));
      const operation = await spanOf(trace, "tools/call upstream_deleteNote");
      const policy = await spanOf(trace, "policy cel");
      expect(policy).toMatchObject({ kind: INTERNAL, parentSpanId: operation.spanId });
      const attributes = {
        "countersign.app": "upstream",
        "countersign.policy": "cel",
        "countersign.outcome": "denied",
      };
      expect(policy.attributes).toEqual(attributes);
      await metricWith("countersign.policy.duration", attributes);
    });

    test("no token, assertion, credential or query is in anything that was exported or logged", async () => {
      const assertion = await signAssertion(it.signer, it.region);
      const trace = callerTrace();
      const form = tokenParameters(assertion);
      const answer = await postForm(tokenEndpointOf(it.region), form, { traceparent: trace.traceparent });
      const { access_token: issued } = await expectJson<{ access_token: string }>(answer, 200);
      await spanOf(trace, "POST /oauth2/token");
      const told = exported(it) + it.region.logs().join("\n");
      for (const secret of [assertion, issued, token, COLLECTOR_CREDENTIAL, "in-the-query", it.owner.cookie])
        expect(told).not.toContain(secret);
    });

    test("recording and exporting leave nothing in the log that is an error", () => {
      const odd = /"level":"error"|telemetry is lost|different request|\bhang\b|unhandled/i;
      const odds = it.region.logs().filter((line) => odd.test(line));
      expect(odds, odds.join("\n")).toEqual([]);
    });

    const manageWith = (trace: CallerTrace, url: string) =>
      fetch(url, { headers: { Cookie: it.owner.cookie, traceparent: trace.traceparent } });
    const send = (message: unknown, headers: Readonly<Record<string, string>> = {}) =>
      post(it.region, message, { ...bearer(token), ...headers });
    const callTool = (name: string, given: unknown = {}, headers: Readonly<Record<string, string>> = {}) =>
      send(call(name, given), headers);
  });
}

/** Everything that the collector received, as text. */
function exported({ collector }: Measured): string {
  return collector.exports.map(({ bytes }) => Buffer.from(bytes).toString("latin1")).join("\n");
}

function contains(attributes: ReceivedSpan["attributes"], wanted: object): boolean {
  return Object.entries(wanted).every(([name, value]) => attributes[name] === value);
}
