import { sha256base64url } from "#sha256";
import type { ConfigurationSnapshot } from "../config/configuration.ts";
import type { EmailHttpConfiguration, EmailProvider, SmtpConfiguration } from "../config/email-configuration.ts";
import type { JsonObject } from "../kernel/json.ts";
import { withoutUnseen } from "../kernel/plain-name.ts";
import type { Limiter, LimitTerms } from "../limits/limiter.ts";
import type { Logger } from "../logging/logger.ts";
import { networkFailure } from "../net/failure.ts";

/** A message to one person. */
export interface Mail {
  /** An address as `parseEmail` has it. */
  readonly to: string;
  /** On one line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailSender {
  /** On one line. */
  readonly name: string;
  /** An address as `parseEmail` has it. */
  readonly address: string;
}

/** Sends one message by SMTP (RFC 5321). Rejects when the server does not take it; the error's code says why. */
export type SendBySmtp = (settings: SmtpConfiguration, from: MailSender, mail: Mail) => Promise<void>;

export interface EmailPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly outbound: () => typeof globalThis.fetch;
  /** Absent: this runtime has no connections of that kind. */
  readonly sendBySmtp?: SendBySmtp | undefined;
  readonly limiter: Pick<Limiter, "take">;
  readonly logger: Logger;
}

/** What mails call the product where `branding` names nobody. */
const OUR_NAME = "Countersign";
/** Milliseconds that a service may take: whoever invites waits for it. */
const TIMEOUT = 10_000;

const HOUR = 3_600_000;
const SHARED = { exact: false, unavailable: "deny" } as const;
/** Mails of one organization, so that it floods nobody in the operator's name. */
const OF_ORGANIZATION: LimitTerms = {
  ...SHARED,
  name: "e-mail of an organization",
  quota: 60,
  period: HOUR,
  burst: 30,
};
/** Mails to one address, of all organizations together. */
const TO_ADDRESS: LimitTerms = { ...SHARED, name: "e-mail to an address", quota: 10, period: 24 * HOUR, burst: 3 };

/** Who sends. */
export function senderName({ configuration }: Pick<EmailPorts, "configuration">): string {
  return withoutUnseen(configuration().configuration.branding?.name ?? OUR_NAME).trim();
}

/**
 * Sends a message, once, and waits until the server or service has taken it. Never rejects: what was not sent is logged, without address
 * and contents.
 *
 * @param organizationId whose message it is
 */
export async function sendMail(mail: Mail, organizationId: string, ports: EmailPorts): Promise<boolean> {
  const cause = await refusal(mail, organizationId, ports);
  if (cause !== undefined) ports.logger.warn("a mail could not be sent", { organizationId, cause });
  return cause === undefined;
}

/** Why a message was not sent; undefined: it was. */
async function refusal(mail: Mail, organizationId: string, ports: EmailPorts): Promise<string | undefined> {
  const { email } = ports.configuration().configuration;
  if (email === undefined) return "email is not configured";
  try {
    const { outcome } = await ports.limiter.take([
      { terms: OF_ORGANIZATION, key: organizationId, amount: 1 },
      { terms: TO_ADDRESS, key: sha256base64url(mail.to), amount: 1 },
    ]);
    if (outcome === "unavailable") return "the limit of mails cannot be counted";
    if (outcome !== "granted") return "too many mails of the organization, or to the address";
    const from = { name: senderName(ports), address: email.from };
    if (email.http !== undefined) return await post(email.http, from, mail, ports);
    if (email.smtp === undefined || ports.sendBySmtp === undefined) return "this runtime has no SMTP";
    await ports.sendBySmtp(email.smtp, from, mail);
    return undefined;
  } catch (cause) {
    return networkFailure(cause).cause;
  }
}

async function post(
  { provider, apiKey, url }: EmailHttpConfiguration,
  from: MailSender,
  mail: Mail,
  { outbound }: Pick<EmailPorts, "outbound">,
): Promise<string | undefined> {
  const request = PROVIDERS[provider];
  const response = await outbound()(url ?? request.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": OUR_NAME,
      ...request.headers(apiKey),
    },
    body: JSON.stringify(request.body(mailbox(from), mail)),
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT),
  });
  await response.body?.cancel();
  return response.ok ? undefined : `the service answered ${response.status}`;
}

/** How a service takes a message. */
interface ProviderRequest {
  readonly url: string;
  readonly headers: (apiKey: string) => Readonly<Record<string, string>>;
  /** @param from a name and an address (RFC 5322 section 3.4) */
  readonly body: (from: string, mail: Mail) => JsonObject;
}

const PROVIDERS: Readonly<Record<EmailProvider, ProviderRequest>> = {
  // https://resend.com/docs/api-reference/emails/send-email
  resend: {
    url: "https://api.resend.com/emails",
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
    body: (from, { to, subject, text, html }) => ({ from, to: [to], subject, text, html }),
  },
  // https://postmarkapp.com/developer/api/email-api
  postmark: {
    url: "https://api.postmarkapp.com/email",
    headers: (apiKey) => ({ "x-postmark-server-token": apiKey }),
    body: (from, { to, subject, text, html }) => ({
      ...{ From: from, To: to, Subject: subject, TextBody: text, HtmlBody: html },
      MessageStream: "outbound",
    }),
  },
};

/** The name as a quoted string (RFC 5322 section 3.2.4). */
function mailbox({ name, address }: MailSender): string {
  return `"${name.replaceAll(/["\\]/g, "")}" <${address}>`;
}
