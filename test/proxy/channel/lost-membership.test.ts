import { expect, test } from "vitest";
import type { McpProxyAppConfiguration } from "../../../lib/config/app-configuration.ts";
import { listenAtUpstreams } from "../../../lib/gateway/proxied/listen-upstreams.ts";
import { relayUpstreams } from "../../../lib/gateway/proxied/relay-upstreams.ts";
import { NOTHING_STOPPED } from "../../../lib/stops/instance-stops.ts";
import { eventually } from "../../support/eventually.ts";
import { APP, testProxy } from "../bridge/agent.ts";

const PERSON = {
  user: { sub: "ada" },
  agent: { clientID: "a" },
  issuer: "https://idp.example",
  organizationId: "org_1",
};
const upstream = { key: "k", sessionId: "s", protocolVersion: "2025-11-25" };
const session = {
  reference: { sessionHash: "h", principal: "p" },
  record: { sessionHash: "h", upstreams: { [APP.name]: upstream } },
};

/** A person's agent before one app, to whose organization the person belongs as long as they are a member. */
function membership() {
  const opened: AbortSignal[] = [];
  const stream = async (_url: unknown, { signal }: RequestInit = {}) => {
    opened.push(signal as AbortSignal);
    return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
  };
  const is = { member: true };
  const { state } = testProxy(stream as typeof fetch);
  const app = { ...APP, organization: "org_1" } as McpProxyAppConfiguration;
  const request = {
    requestId: "r",
    waitUntil: () => undefined,
    logger: { debug: () => undefined, warn: () => undefined },
  };
  const caller = {
    identity: PERSON,
    request,
    session,
    signal: new AbortController().signal,
    agentIn: () => ({ generation: "session", clientCapabilities: {}, session }),
  };
  const ports = {
    proxies: { ...state, apps: [app] },
    stores: { mcpSessions: { get: async () => session.record } },
    clock: { now: () => 1 },
    random: { bytes: (length: number) => new Uint8Array(length) },
    instanceStops: NOTHING_STOPPED,
    organizationOf: async () => "org_1",
    memberships: { areRequired: () => true, isMember: () => is.member },
    outbound: () => stream,
  };
  return { is, opened, caller, ports };
}

test("47. who is no member any more hears no more of the organization's servers on the session's stream", async () => {
  const { is, opened, caller, ports } = membership();
  const stream = { gone: new AbortController().signal, send: () => undefined };
  const look = relayUpstreams(stream, caller as never, ports as never);
  await look();
  const [held] = await eventually(
    async () => opened,
    ({ length }) => length === 1,
  );
  await look();
  expect([opened.length, held?.aborted]).toEqual([1, false]);
  is.member = false;
  await look();
  expect(held?.aborted).toBe(true);
});

test("47. what a person listens to holds as long as they are a member", async () => {
  const { is, caller, ports } = membership();
  const listener = { relay: () => undefined, stopped: () => undefined };
  const { look } = await listenAtUpstreams({}, listener, caller as never, ports as never);
  expect(await look()).toBe(true);
  is.member = false;
  expect(await look()).toBe(false);
});
