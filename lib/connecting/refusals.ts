import { auditEvent } from "../audit/event.ts";
import type { BrowserAnswer } from "../authorization-server/authorize/sign-in-context.ts";
import type { FoundConnectRequest } from "../connections/connect-request.ts";
import { PageError } from "../pages/page-error.ts";
import type { AccountProviderError, ConnectContext } from "./connect-context.ts";
import { notYoursPage, refusedPage } from "./connect-pages.ts";

/** Why a link connected nothing, as records have it. */
type Reason =
  | "another person opened the link"
  | "another session came back"
  | "the person is suspended"
  | "it was stopped"
  | "no member"
  | "the person refused"
  | "the person kept the former account"
  | "the person refused at the provider"
  | "the provider refused"
  | "the provider does not answer"
  | "the provider's tokens are too long"
  | "the answer is another provider's";

/** Records that nothing was connected. Anybody who has the link can cause it again and again: all but the first are only counted. */
export async function recordRefused(
  { request }: FoundConnectRequest,
  reason: Reason,
  actor: string | undefined,
  { dependencies, request: { requestId } }: ConnectContext,
): Promise<void> {
  const { organizationId, person, agent, app, connector } = request;
  await dependencies.refusals.record(
    auditEvent(dependencies, {
      ...{ type: "connection.refused", outcome: "refused", reason, requestId },
      ...(organizationId !== "" && { organizationId }),
      ...(actor !== undefined && { actor }),
      ...(agent !== "" && { agent }),
      ...{ user: person, app, details: { connector } },
    }),
  );
}

/** Somebody else opened the link, or came back with it. */
export async function refuseAnother(
  asked: FoundConnectRequest,
  actor: string,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  await recordRefused(asked, "another person opened the link", actor, context);
  return { page: notYoursPage(context.endpoints.endSession, context.request.requestId) };
}

/** An administrator keeps the person out. */
export async function refuseSuspended(
  asked: FoundConnectRequest,
  actor: string,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  await recordRefused(asked, "the person is suspended", actor, context);
  throw new PageError(({ connect }) => connect.suspended, { status: 403 });
}

/** What the provider gave is not kept, and is revoked there: the person may not use the app any more. */
export async function refuseEnded(
  asked: FoundConnectRequest,
  reason: "the person is suspended" | "it was stopped" | "no member",
  context: ConnectContext,
): Promise<BrowserAnswer> {
  const { app, person } = asked.request;
  await recordRefused(asked, reason, person, context);
  return {
    page: refusedPage({
      text: ({ connect }) => connect.ended(app),
      status: 403,
      again: asked.id,
      requestId: context.request.requestId,
    }),
  };
}

/** What the page says, and the record, where no account can be had of a provider. */
interface ProviderRefusal {
  readonly text: "providerRefused" | "providerUnavailable" | "providerTooLong";
  readonly status: number;
  readonly reason: Reason;
}

const PROVIDER_REFUSALS: Readonly<Record<AccountProviderError["failure"], ProviderRefusal>> = {
  refused: { text: "providerRefused", status: 400, reason: "the provider refused" },
  unavailable: { text: "providerUnavailable", status: 503, reason: "the provider does not answer" },
  too_long: { text: "providerTooLong", status: 502, reason: "the provider's tokens are too long" },
};

/** The provider said no, or nothing, or gave what cannot be kept. */
export async function refuseForProvider(
  asked: FoundConnectRequest,
  { failure, message }: Pick<AccountProviderError, "failure" | "message">,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  const { connector, person } = asked.request;
  const { text, status, reason } = PROVIDER_REFUSALS[failure];
  context.request.logger.info("connecting an account failed", { connector, reason: message });
  await recordRefused(asked, reason, person, context);
  return {
    page: refusedPage({
      text: ({ connect }) => connect[text](connector),
      status,
      again: asked.id,
      requestId: context.request.requestId,
    }),
  };
}

/** The person said no, here or at the provider. The link is still good: people change their minds. */
export async function refusedByPerson(
  asked: FoundConnectRequest,
  where: "here" | "at the provider",
  context: ConnectContext,
): Promise<BrowserAnswer> {
  const { person, app, returnTo } = asked.request;
  const reason = where === "here" ? "the person refused" : "the person refused at the provider";
  await recordRefused(asked, reason, person, context);
  return {
    page: refusedPage({
      text: ({ connect }) => connect[returnTo === undefined ? "refusedForAgent" : "refusedForPerson"](app),
      status: 200,
      again: asked.id,
      requestId: context.request.requestId,
    }),
  };
}

/** The link names nothing, or nothing any more. */
export function linkOver(detail: string): PageError {
  return new PageError(({ connect }) => connect.linkOver, { detail });
}
