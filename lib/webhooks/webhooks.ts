import type { ConnectionConfiguration } from "../config/app-configuration.ts";
import type { WebhookConfiguration, WebhookType } from "../config/webhook-configuration.ts";
import type { Clock } from "../kernel/clock.ts";
import type { JsonObject } from "../kernel/json.ts";
import { pause } from "../kernel/timers.ts";
import type { Logger } from "../logging/logger.ts";
import { networkFailure } from "../net/failure.ts";
import { signatureHeaders, type WebhookMessage, webhookSecret } from "../protocol/http/standard-webhook.ts";

/** Something that waits for a person. */
export interface Notice {
  readonly type: WebhookType;
  /** Of the audit record about the same. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Whose it is; empty: nobody's in particular. */
  readonly organizationId: string;
  readonly data: JsonObject;
}

/** Keeps the runtime alive until the work is done. */
export type WaitUntil = (work: Promise<void>) => void;

/** Tells the webhooks of the configuration (Standard Webhooks 1.0.0) what waits for a person (D236). */
export interface Webhooks {
  /** Returns at once. What cannot be delivered is logged: whoever is told looks at the Console, which knows all. */
  tell(notice: Notice, waitUntil: WaitUntil): void;
}

export interface WebhookPorts {
  readonly outbound: (tls?: string, connection?: ConnectionConfiguration) => typeof globalThis.fetch;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A dependency, so that tests need not wait. */
  readonly pause?: (milliseconds: number) => Promise<void>;
}

/** Milliseconds before each attempt: all are over within half a minute, which is what Workers leave for work behind an answer. */
export const PAUSES: readonly number[] = [0, 2_000, 8_000];
/** Milliseconds of one attempt. */
const TIMEOUT = 5_000;
/** Notices of one organization that are under way: nobody's flood keeps memory, or others from being told. */
const MOST_AT_ONCE = 50;
/** Milliseconds after which one is over, whatever became of it: a runtime may end work midway (D29). */
const LONGEST = 60_000;

type Outcome = "delivered" | "gone" | { readonly failed: string };

export function createWebhooks(settings: readonly WebhookConfiguration[], ports: WebhookPorts): Webhooks {
  const underWay = new Set<{ readonly organizationId: string; readonly since: number }>();
  const gone = new Set<WebhookConfiguration>();
  const wait = ports.pause ?? pause;

  async function deliver(webhook: WebhookConfiguration, message: WebhookMessage): Promise<void> {
    let outcome: Outcome = { failed: "" };
    for (const milliseconds of PAUSES) {
      await wait(milliseconds);
      outcome = await attempt(webhook, message, ports);
      if (typeof outcome === "string") break;
    }
    if (outcome === "gone") gone.add(webhook);
    if (outcome === "delivered") return;
    const cause = outcome === "gone" ? "the receiver wants no more (410)" : outcome.failed;
    ports.logger.warn("a webhook could not be told", { webhook: webhook.name, notice: message.id, cause });
  }

  async function tellAll(webhooks: readonly WebhookConfiguration[], notice: Notice): Promise<void> {
    const entry = { organizationId: notice.organizationId, since: ports.clock.now() };
    underWay.add(entry);
    const message = messageOf(notice);
    await Promise.all(webhooks.map((webhook) => deliver(webhook, message)));
    underWay.delete(entry);
  }

  function hasRoom(organizationId: string): boolean {
    const now = ports.clock.now();
    for (const entry of underWay) if (Math.abs(now - entry.since) > LONGEST) underWay.delete(entry);
    return [...underWay].filter((entry) => entry.organizationId === organizationId).length < MOST_AT_ONCE;
  }

  return {
    tell: (notice, waitUntil) => {
      const webhooks = settings.filter((webhook) => webhook.types.includes(notice.type) && !gone.has(webhook));
      if (webhooks.length === 0) return;
      if (hasRoom(notice.organizationId)) return waitUntil(tellAll(webhooks, notice));
      const cause = `${MOST_AT_ONCE} notices of the organization are under way`;
      ports.logger.warn("webhooks were not told", { notice: notice.id, cause });
    },
  };
}

function messageOf({ type, id, time, organizationId, data }: Notice): WebhookMessage {
  const whose = organizationId === "" ? {} : { organizationId };
  return { id, body: JSON.stringify({ type, timestamp: new Date(time).toISOString(), data: { ...whose, ...data } }) };
}

async function attempt(
  { url, secrets, tls }: WebhookConfiguration,
  message: WebhookMessage,
  { outbound, clock }: WebhookPorts,
): Promise<Outcome> {
  const keys = secrets.flatMap((secret) => webhookSecret(secret) ?? []);
  try {
    const response = await outbound(tls)(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "Countersign",
        ...(await signatureHeaders(message, keys, clock.now())),
      },
      body: message.body,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    await response.body?.cancel();
    if (response.ok) return "delivered";
    return response.status === 410 ? "gone" : { failed: `the receiver answered ${response.status}` };
  } catch (cause) {
    return { failed: networkFailure(cause).cause };
  }
}
