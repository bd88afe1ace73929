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
  | "the person refused"
  | "the person kept the former account"
  | "the person refused at the provider"
  | "the provider refused"
  | "the provider does not answer"
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
      ...{ user: person, agent, app, details: { connector } },
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
  throw new PageError("You cannot connect an account", "An administrator has suspended your access.", {
    status: 403,
    advice: "Ask an owner of your organization.",
  });
}

/** The provider said no, or nothing. */
export async function refuseForProvider(
  asked: FoundConnectRequest,
  { failure, message }: Pick<AccountProviderError, "failure" | "message">,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  const { connector, person } = asked.request;
  const isDown = failure === "unavailable";
  context.request.logger.info("connecting an account failed", { connector, reason: message });
  await recordRefused(asked, isDown ? "the provider does not answer" : "the provider refused", person, context);
  return {
    page: refusedPage({
      title: isDown ? `${connector} does not answer` : `${connector} refused`,
      message: isDown ? "Nothing was connected: the provider cannot be asked for now." : "Nothing was connected.",
      advice: `${isDown ? "Start again in a minute." : "Start again."} If it stays so, tell whoever runs this service, with the request number below.`,
      status: isDown ? 503 : 400,
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
  const { person, app } = asked.request;
  const reason = where === "here" ? "the person refused" : "the person refused at the provider";
  await recordRefused(asked, reason, person, context);
  return {
    page: refusedPage({
      title: "Nothing was connected",
      message: `You did not allow it. What needs your account in “${app}” will not work for your agent.`,
      advice: "Go back to your agent, or start again if you want to connect it after all.",
      status: 200,
      again: asked.id,
      requestId: context.request.requestId,
    }),
  };
}

/** The link names nothing, or nothing any more. */
export function linkOver(detail: string): PageError {
  return new PageError(
    "This link is over",
    "It was used before, is older than ten minutes, or is not complete. If you have just connected your account, all is well.",
    { detail, advice: "Go back to your agent. If it still asks for the account, let it make another link." },
  );
}
