import type { Connector } from "../../connectors/connectors.ts";
import { newSignInSecrets, signInURL } from "../../connectors/sign-in/begin.ts";
import type { Dependencies, RequestContext } from "../../dependencies.ts";
import { sha256base64url } from "../../encoding.ts";
import { readFields, textField } from "../../fields.ts";
import { ProblemError } from "../../problem.ts";
import { findInvitation } from "../invitations.ts";
import { newSecretText } from "../secret-text.ts";
import { type BrowserPart, type ConnectorIntent, keepPending } from "./pending.ts";
import { CONSOLE_HOME, isConsolePath } from "./return-path.ts";
import { consoleCallbackURL, usableConnectors } from "./usable-connectors.ts";

/** What somebody asks for who goes to a connector. */
export interface ConnectorSignInRequest {
  /** A path of the Console. */
  readonly returnTo: string;
  readonly isLink: boolean;
  /** The secret of an invitation to accept. */
  readonly invitation?: string;
}

/** Reads `{returnTo?, link?, invitation?}`. @throws ProblemError `invalid_field` */
export function parseConnectorSignIn(input: unknown): ConnectorSignInRequest {
  const fields = readFields(input, ["returnTo", "link", "invitation"]);
  const { returnTo = CONSOLE_HOME, link, invitation } = fields.object;
  if (typeof returnTo !== "string" || !isConsolePath(returnTo)) {
    fields.refuse("/returnTo", "must be a plain path below /console/");
  }
  if (link !== undefined && link !== true) fields.refuse("/link", "must be true or absent");
  if (link === true && invitation !== undefined) fields.refuse("/invitation", "must be absent with link");
  const secret = invitation === undefined ? undefined : textField(fields, "invitation", { min: 1, max: 200 });
  fields.finish();
  return { returnTo: returnTo as string, isLink: link === true, ...(secret !== undefined && { invitation: secret }) };
}

/** Who asks, and with what. */
export interface ConnectorSignInStart extends ConnectorSignInRequest {
  /** The connector's name. */
  readonly connector: string;
  /** Who is signed in, with `isLink`. */
  readonly person: { readonly id: string; readonly sessionId: string } | undefined;
  /** The cookie's value of before, if there was one. */
  readonly browser: BrowserPart | undefined;
}

/**
 * Prepares a sign-in at a connector; resolves to the address there, and to what the browser has to keep.
 * @throws ProblemError `not_found` for a connector that people do not sign in with here and for an invitation that is gone,
 * `unavailable` when the connector does not answer
 */
export async function beginConnectorSignIn(
  dependencies: Dependencies,
  connectors: readonly Connector[],
  { connector: name, returnTo, invitation, person, browser: known }: ConnectorSignInStart,
  request: Pick<RequestContext, "waitUntil">,
): Promise<{ readonly location: string; readonly browser: BrowserPart }> {
  const { configuration } = dependencies.configuration();
  const connector = requireConnector(usableConnectors(connectors, configuration), name);
  if (invitation !== undefined && (await findInvitation(dependencies, invitation)) === undefined) {
    throw new ProblemError("not_found", "The invitation is unknown, was used or revoked already, or has expired.");
  }
  const metadata = await connector.metadata.get(request.waitUntil);
  if (metadata === undefined) {
    throw new ProblemError("unavailable", `The identity provider ${name} does not answer. Try again in a minute.`);
  }
  const browser: BrowserPart = {
    binding: known?.binding ?? newSecretText(dependencies.random),
    ...(invitation !== undefined && { invitation }),
  };
  const secrets = newSignInSecrets(connector);
  const pending = { connector: name, ...secrets, intent: intentOf(person, invitation), returnTo };
  const state = await keepPending(dependencies, pending, browser);
  const redirectURL = consoleCallbackURL(configuration);
  const location = await signInURL(connector, metadata, { ...secrets, redirectURL, state, wishes: NO_WISHES });
  return { location, browser };
}

function requireConnector(usable: readonly Connector[], name: string): Connector {
  const connector = usable.find(({ settings }) => settings.name === name);
  if (connector !== undefined) return connector;
  const names = usable.map(({ settings }) => settings.name).join(", ");
  throw new ProblemError(
    "not_found",
    `People do not sign in here with this connector; they do with: ${names || "none"}.`,
  );
}

function intentOf(person: ConnectorSignInStart["person"], invitation: string | undefined): ConnectorIntent {
  if (person !== undefined) return { kind: "link", userId: person.id, sessionId: person.sessionId };
  if (invitation !== undefined) return { kind: "invitation", secretHash: sha256base64url(invitation) };
  return { kind: "sign_in" };
}

const NO_WISHES = { prompt: [], acrValues: [] };
