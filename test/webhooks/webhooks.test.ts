import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WebhookConfiguration } from "../../lib/config/webhook-configuration.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { createWebhooks, type Notice, PAUSES } from "../../lib/webhooks/webhooks.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const NOTICE: Notice = {
  type: "approval.requested",
  id: "01KB0000000000000000000000",
  time: Date.UTC(2026, 10, 28),
  organizationId: "org_1",
  data: { app: "notes" },
};

describe("82. webhooks", () => {
  let receiver: WebhookReceiver;
  let logged: object[];
  const ignore = () => undefined;
  const note = (message: string, fields?: object) => void logged.push({ message, ...fields });
  const logger: Logger = { debug: ignore, info: ignore, warn: note, error: ignore, with: () => logger };
  let waited: number[];
  beforeEach(async () => {
    receiver = await startWebhookReceiver();
    logged = [];
    waited = [];
  });
  afterEach(() => receiver.stop());

  const created = (given: Partial<WebhookConfiguration> = {}) => {
    const webhook: WebhookConfiguration = {
      ...{ name: "desk", url: receiver.url, secrets: [receiver.secret], types: ["approval.requested"] },
      ...given,
    };
    const pause = async (milliseconds: number) => void waited.push(milliseconds);
    return createWebhooks([webhook], { ...{ outbound: () => fetch, pause }, clock: Date, logger });
  };
  const told = async (webhooks: ReturnType<typeof created>, notice: Partial<Notice> = {}) => {
    const work: Promise<void>[] = [];
    webhooks.tell({ ...NOTICE, ...notice }, (one) => void work.push(one));
    await Promise.all(work);
    return work.length;
  };

  test("82. a notice is one signed message, which the receivers' library verifies", async () => {
    await told(created());
    const data = { organizationId: "org_1", app: "notes" };
    expect(receiver.messages).toEqual([
      { id: NOTICE.id, type: "approval.requested", timestamp: "2026-11-28T00:00:00.000Z", data },
    ]);
    expect(receiver.requests[0]).toMatchObject({ "content-type": "application/json", "user-agent": "Countersign" });
    await told(created(), { organizationId: "" });
    expect(receiver.messages[1]?.data).toEqual({ app: "notes" });
    expect(logged).toEqual([]);
  });

  test("82. while a secret is replaced, both sign", async () => {
    const former = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    await told(created({ secrets: [former, receiver.secret] }));
    await told(created({ secrets: [receiver.secret, former] }));
    expect(receiver.messages).toHaveLength(2);
    await told(created({ secrets: [former] }));
    expect(receiver.messages).toHaveLength(2);
  });

  test.each([
    ["an error", [500, 204], 2],
    ["a broken connection", [0, 204], 2],
    ["too many requests", [429, 503, 204], 3],
  ])("82. %s: the same message is sent again, later", async (_, answers, requests) => {
    receiver.answer(...answers);
    await told(created());
    expect(receiver.requests).toHaveLength(requests);
    expect(new Set(receiver.requests.map((headers) => headers["webhook-id"]))).toEqual(new Set([NOTICE.id]));
    expect(waited).toEqual(PAUSES.slice(0, requests));
    expect(logged).toEqual([]);
  });

  test("82. what cannot be delivered is logged without address, secret and contents; redirects are not followed", async () => {
    receiver.answer(302, 302, 302);
    await told(created());
    expect(receiver.requests).toHaveLength(PAUSES.length);
    expect(logged).toEqual([
      expect.objectContaining({
        message: "a webhook could not be told",
        webhook: "desk",
        cause: "the receiver answered 302",
      }),
    ]);
    const text = JSON.stringify(logged);
    for (const secret of [receiver.url, receiver.secret, "notes"]) expect(text).not.toContain(secret);
  });

  test("82. a receiver that wants no more (410) gets no more", async () => {
    receiver.answer(410);
    const webhooks = created();
    await told(webhooks);
    expect(await told(webhooks)).toBe(0);
    expect(receiver.requests).toHaveLength(1);
  });

  test("82. only what a webhook asks for is told", async () => {
    expect(await told(created(), { type: "tool.held" })).toBe(0);
    expect(await told(created({ types: ["tool.held"] }), { type: "tool.held" })).toBe(1);
    expect(receiver.messages.map(({ type }) => type)).toEqual(["tool.held"]);
  });

  test("82. one organization's flood is bounded, and others are told", async () => {
    const webhooks = created();
    const work: Promise<void>[] = [];
    const tell = (organizationId: string) => webhooks.tell({ ...NOTICE, organizationId }, (one) => void work.push(one));
    for (let number = 0; number < 80; number++) tell("org_1");
    tell("org_2");
    expect(work).toHaveLength(51);
    await Promise.all(work);
    const of = (organization: string) =>
      receiver.messages.filter(({ data: { organizationId } }) => organizationId === organization);
    expect([of("org_1").length, of("org_2").length]).toEqual([50, 1]);
    expect(logged).toHaveLength(30);
    tell("org_1");
    expect(work).toHaveLength(52);
    await Promise.all(work);
  });

  test("82. what a runtime has ended midway takes no room for long", async () => {
    let now = 0;
    const webhook = { name: "desk", url: receiver.url, secrets: [receiver.secret], types: [NOTICE.type] };
    const ports = { outbound: () => fetch, clock: { now: () => now }, logger };
    const webhooks = createWebhooks([webhook], { ...ports, pause: () => new Promise<never>(() => undefined) });
    const told = () => {
      let isTold = false;
      webhooks.tell(NOTICE, () => {
        isTold = true;
      });
      return isTold;
    };
    expect(Array.from({ length: 51 }, told).filter(Boolean)).toHaveLength(50);
    now += 61_000;
    expect(told()).toBe(true);
  });
});
