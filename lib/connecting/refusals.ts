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
  throw new PageError("You cannot connect an account", "An administrator has suspended your access.", {
    status: 403,
    advice: "Ask an owner of your organization.",
  });
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
      title: "Nothing was connected",
      message: `While you were at the provider, your access to “${app}” ended. What the provider gave is taken back there.`,
      advice: "Ask an owner of your organization.",
      status: 403,
      again: asked.id,
      requestId: context.request.requestId,
    }),
  };
}

/** What the page says, and the record, where no account can be had of a provider. */
interface ProviderRefusal {
  readonly title: (connector: string) => string;
  readonly message: string;
  readonly first: string;
  readonly status: number;
  readonly reason: Reason;
}

const PROVIDER_REFUSALS: Readonly<Record<AccountProviderError["failure"], ProviderRefusal>> = {
  refused: {
    title: (connector) => `${connector} refused`,
    message: "Nothing was connected.",
    ...{ first: "Start again.", status: 400, reason: "the provider refused" },
  },
  unavailable: {
    title: (connector) => `${connector} does not answer`,
    message: "Nothing was connected: the provider cannot be asked for now.",
    ...{ first: "Start again in a minute.", status: 503, reason: "the provider does not answer" },
  },
  too_long: {
    title: (connector) => `The tokens of ${connector} are too long`,
    message: "Nothing was connected: the provider gave longer tokens than this service keeps.",
    ...{ first: "Start again.", status: 502, reason: "the provider's tokens are too long" },
  },
};

/** The provider said no, or nothing, or gave what cannot be kept. */
export async function refuseForProvider(
  asked: FoundConnectRequest,
  { failure, message }: Pick<AccountProviderError, "failure" | "message">,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  const { connector, person } = asked.request;
  const { title, message: said, first, status, reason } = PROVIDER_REFUSALS[failure];
  context.request.logger.info("connecting an account failed", { connector, reason: message });
  await recordRefused(asked, reason, person, context);
  return {
    page: refusedPage({
      ...{ title: title(connector), message: said, status },
      advice: `${first} If it stays so, tell whoever runs this service, with the request number below.`,
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
  const [user, back] = returnTo === undefined ? ["your agent", "Go back to your agent"] : ["you", "Close this page"];
  const reason = where === "here" ? "the person refused" : "the person refused at the provider";
  await recordRefused(asked, reason, person, context);
  return {
    page: refusedPage({
      title: "Nothing was connected",
      message: `You did not allow it. What needs your account in “${app}” will not work for ${user}.`,
      advice: `${back}, or start again if you want to connect it after all.`,
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
