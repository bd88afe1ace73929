import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { McpProviderConfiguration } from "../../lib/config/configuration.ts";
import { type EventReader, readEvents } from "../behaviour/mcp/events.ts";
import { modern, modernHeaders } from "../behaviour/mcp/stateless-fixture.ts";
import { type OpenGateway, openGateway } from "./open-gateway.ts";

const LISTEN = "subscriptions/listen";
const LOOK = 15_000;

let it: OpenGateway;
/** What another instance set, until this one looks. */
let setElsewhere: (() => void) | undefined;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  setElsewhere = undefined;
  const gatewaySettings = {
    configured: () => expect.fail(),
    appliedRevision: () => 1,
    check: async () => [],
    overrides: {
      overridable: () => [],
      check: () => [],
      takeAttempt: () => true,
      leftOut: () => [],
      appliedRevision: () => 0,
    },
    use: async () => undefined,
    upToDate: async () => setElsewhere?.(),
  };
  it = await openGateway({ adapt: (dependencies) => ({ ...dependencies, gatewaySettings }) });
});
afterEach(async () => {
  vi.useRealTimers();
  await it.close();
});

const STREAMS: Readonly<Record<string, () => Promise<Response>>> = {
  "the stream of a session": async () => it.get(await it.open()),
  "a stream of changes": () =>
    it.post(modern(LISTEN, { notifications: { toolsListChanged: true } }), modernHeaders(LISTEN)),
  "a connection over HTTP+SSE": () => it.send("/sse", { headers: { accept: "text/event-stream" } }),
};

type Change = Parameters<OpenGateway["serve"]>[0];
const withOAuth: Change = (provider) => ({ ...provider, oauth: { ...provider.oauth, enabled: true } });
const ENDS: Readonly<Record<string, Change>> = {
  "the gateway is turned off": () => undefined,
  "the gateway has no address any more": ({ stream: _, sse: __, ...others }) => others,
  "OAuth is turned on": withOAuth,
};
const STAYS: Readonly<Record<string, Change>> = {
  "its name changes": (provider: McpProviderConfiguration) => ({ ...provider, serverName: "another" }),
  "its path changes": (provider) => ({
    ...provider,
    ...(provider.stream && { stream: { ...provider.stream, path: "/x" } }),
  }),
};

describe.each(Object.entries(STREAMS))("%s", (_, open) => {
  test.each(Object.entries(ENDS))("ends within 15 seconds after %s", async (__, change) => {
    const isOver = await opened(open);
    await pass();
    expect(isOver()).toBe(false);
    it.serve(change);
    await pass();
    await expect.poll(isOver).toBe(true);
  });

  test.each(Object.entries(STAYS))("goes on when %s", async (__, change) => {
    const isOver = await opened(open);
    it.serve(change);
    await pass();
    await pass();
    expect(isOver()).toBe(false);
  });

  test("ends after a change elsewhere where no request makes the instance look", async () => {
    const isOver = await opened(open);
    setElsewhere = () => it.serve(() => undefined);
    await pass();
    await expect.poll(isOver).toBe(true);
  });
});

async function opened(open: () => Promise<Response>): Promise<() => boolean> {
  const response = await open();
  expect(response.status).toBe(200);
  let isOver = false;
  void ended(readEvents(response)).then(() => {
    isOver = true;
  });
  return () => isOver;
}

async function ended(events: EventReader): Promise<void> {
  while ((await events.next()) !== undefined);
}

async function pass(): Promise<void> {
  it.clock.set(it.clock.now() + LOOK);
  await vi.advanceTimersByTimeAsync(LOOK);
}
