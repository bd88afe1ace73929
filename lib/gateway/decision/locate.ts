import type { GatewayErrorCode } from "../gateway-error.ts";
import type { Principal } from "../identity.ts";
import { ANY_ORGANIZATION } from "../memberships.ts";
import { type DecidedApp, isWebSubject, type ListCandidate, type ListPorts, type Refusal, type Step } from "./step.ts";

/**
 * There is such an app for the agent. The answer is the same for a tool that nobody has. What it says in an explanation stands
 * behind the name of the app.
 */
export const locate = {
  name: "locate",
  async *judge({ app, subject, caller }, ports) {
    const { organization } = app;
    const isOwned = organization !== undefined && !app.isShared && caller.identity?.agent !== undefined;
    const unknown = isWebSubject(subject) ? NOT_ADMITTED : UNKNOWN_TOOL;
    if (!(await isThere(app, caller.identity, ports))) {
      const whose =
        organization === undefined ? "the instance's first organization" : `the organization ${organization}`;
      const reason = isWebSubject(subject) ? { reason: "other_organization" } : {};
      yield [{ ...unknown, outcome: "refuse", ...reason, why: ` is there for agents of ${whose} alone` }];
    } else if (!(await isAdmitted(app, caller.identity, ports))) {
      const why = " is there for people of its organization alone, to which the person does not belong";
      yield [{ ...unknown, outcome: "refuse", reason: "not_a_member", why }];
    } else yield [{ outcome: "allow", why: isOwned ? `, for agents of ${organization} alone` : "" }];
  },
  async shown(tools, { identity }, ports) {
    const visible = await visibleApps(new Set(tools.map(({ app }) => app)), identity, ports);
    return tools.filter(({ app }) => visible.has(app));
  },
} satisfies Step;

/** What an agent is told of every tool that it must not know of. */
export const UNKNOWN_TOOL = {
  code: "unknown_tool",
  message: "There is no tool of this name.",
} as const satisfies { readonly code: GatewayErrorCode; readonly message: string };

/** Whoever asks for a web app knows that it is there: its address is public. */
const NOT_ADMITTED = {
  code: "not_admitted",
  message: "This application is not there for you.",
} as const satisfies Pick<Refusal, "code" | "message">;

export type VisibilityPorts = Pick<ListPorts, "organizationOf" | "memberships">;

/** Whether the tools of an app exist for an agent and the person that it acts for. */
export async function isVisible(
  app: DecidedApp,
  identity: Principal | undefined,
  ports: VisibilityPorts,
): Promise<boolean> {
  return (await isThere(app, identity, ports)) && (await isAdmitted(app, identity, ports));
}

/**
 * Whether the app is the agent's (D32). A token of this instance carries the organization of its agent, which sees the apps of that
 * organization, and shared ones. Tokens of other issuers carry none that we could believe: their agents see the apps that the
 * configuration gives to no organization, which are the instance's first one's, and shared ones. Where the configuration asks for no
 * authorization, nobody is told apart and everything is visible. A person in a browser is of no organization before one is asked
 * for: whether they belong to the app's is what `members` decides (D201).
 */
async function isThere(
  app: DecidedApp,
  identity: Principal | undefined,
  { organizationOf }: VisibilityPorts,
): Promise<boolean> {
  if (identity?.agent === undefined || app.isShared) return true;
  if (identity.organizationId === undefined) return app.organization === undefined;
  return (await organizationOf(app)) === identity.organizationId;
}

/**
 * Whether the person belongs to the organization, where the app asks for that (D165). Of a shared app it is the agent's own; without
 * an agent any will do.
 */
async function isAdmitted(
  app: DecidedApp,
  identity: Principal | undefined,
  { organizationOf, memberships }: VisibilityPorts,
): Promise<boolean> {
  if (identity === undefined || actsForItself(identity) || !(await memberships.areRequired(app))) return true;
  if (identity.user === undefined) return false;
  if (app.isShared && identity.agent === undefined) return memberships.isMember(identity, ANY_ORGANIZATION);
  const organization = (app.isShared ? identity.organizationId : undefined) ?? (await organizationOf(app));
  return organization !== undefined && memberships.isMember(identity, organization);
}

/** A token of another server that names no subject may be a person's: RFC 7662 and RFC 9068 servers leave it out at will. */
function actsForItself({ user, organizationId, claims, agent }: Principal): boolean {
  if (user !== undefined || agent === undefined) return false;
  return organizationId !== undefined || claims?.sub === agent.clientID;
}

async function visibleApps(
  apps: Iterable<ListCandidate["app"]>,
  identity: Principal | undefined,
  ports: VisibilityPorts,
): Promise<ReadonlySet<ListCandidate["app"]>> {
  const visible = new Set<ListCandidate["app"]>();
  for (const app of apps) if (await isVisible(app, identity, ports)) visible.add(app);
  return visible;
}
