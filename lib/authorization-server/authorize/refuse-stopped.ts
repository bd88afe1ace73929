import { auditEvent, named } from "../../audit/event.ts";
import { stopOfPerson } from "../../directory/stopped-person.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import { stopOf } from "../../stores/stop-subjects.ts";
import type { OAuthClient } from "../clients/client.ts";
import { organizationOf } from "../clients/find-client.ts";
import type { ConnectorSession } from "./next-step.ts";
import type { SignInContext } from "./sign-in-context.ts";

/**
 * Refuses a request of an agent that is stopped, or for a person who is, before anybody is asked for consent, and records it in the
 * organization of the agent. What was ended and not suspended may begin anew.
 *
 * @param session of the person, where one is known
 * @throws {OAuthError} `access_denied`
 */
export async function refuseStopped(
  client: OAuthClient,
  session: ConnectorSession | undefined,
  context: SignInContext,
): Promise<void> {
  const { dependencies, request } = context;
  const { instanceStops, clock, refusals } = dependencies;
  const index = await instanceStops.current(request.waitUntil);
  if (index.size === 0) return;
  const organizationId = await organizationOf(client, dependencies);
  const of = organizationId === undefined ? {} : { organizationId };
  const now = clock.now();
  const agentStop = stopOf(index, { ...of, clients: [client.clientId], beganAt: now });
  const personStop =
    agentStop ?? (session && (await stopOfPerson(dependencies, { ...session, createdAt: now }, organizationId)));
  if (personStop === undefined) return;
  await refusals.record(
    auditEvent(dependencies, {
      type: "sign_in.refused",
      outcome: "refused",
      ...of,
      actor: client.clientId,
      agent: client.clientId,
      ...(session !== undefined && { user: session.userId }),
      reason: "stopped",
      requestId: request.requestId,
      ...named([client.clientId, client.name]),
    }),
  );
  throw new OAuthError("access_denied", {
    description: agentStop === undefined ? PERSON : (WORDS[agentStop.target.kind] ?? AGENT),
  });
}

const AGENT = "the organization has stopped this agent";
const PERSON = "the organization has stopped what agents do for this person";
const WORDS: Readonly<Record<string, string>> = { organization: "the organization is stopped, with all its agents" };
