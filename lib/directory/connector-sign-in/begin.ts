import { sha256base64url } from "#sha256";
import type { Configuration } from "../../config/configuration.ts";
import { newSignInSecrets, signInURL } from "../../connectors/begin-sign-in.ts";
import type { Connector } from "../../connectors/connectors.ts";
import { readFields, textField } from "../../kernel/fields.ts";
import { ProblemError } from "../../kernel/problem.ts";
import { newSecretText } from "../../kernel/secret-text.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import { findInvitation } from "../invitations.ts";
import type { DirectoryPorts } from "../ports.ts";
import { type BrowserPart, type ConnectorIntent, savePending } from "./pending.ts";

/** The request of a person who signs in at a connector. */
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

/** The request with its person and browser. */
export interface ConnectorSignInStart extends ConnectorSignInRequest {
  /** The connector's name. */
  readonly connector: string;
  /** Who is signed in, with `isLink`. */
  readonly person: { readonly id: string; readonly sessionId: string } | undefined;
  /** The cookie's value of before, if there was one. */
  readonly browser: BrowserPart | undefined;
}

/**
 * Begins a sign-in at a connector. Resolves to the URL there, and to the value of the browser's cookie.
 * @throws ProblemError `not_found` for a connector that people do not sign in with here and for an invitation that is gone,
 * `unavailable` when the connector does not answer
 */
export async function beginConnectorSignIn(
  dependencies: DirectoryPorts,
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
  const state = await savePending(dependencies, pending, browser);
  const redirectURL = consoleCallbackURL(configuration);
  const location = await signInURL(connector, metadata, { ...secrets, redirectURL, state, wishes: NO_WISHES });
  return { location, browser };
}

/** The connectors of the Console: those that `console.connectors` names. */
export function usableConnectors(
  connectors: readonly Connector[],
  { console }: Pick<Configuration, "console">,
): readonly Connector[] {
  return console.connectors.flatMap((name) => connectors.find(({ settings }) => settings.name === name) ?? []);
}

/** The redirect URL for these connectors. */
export function consoleCallbackURL({ console }: Pick<Configuration, "console">): string {
  return `${console.baseURL}/api/v1/sign-in/oidc/callback`;
}

/**
 * Whether a text is the path of a page of the Console. It must not have anything that browsers, proxies or servers read in
 * different ways: backslashes, encoded dots and slashes, empty segments. Nobody is redirected to anything else (RFC 9700 §4.11).
 */
export function isConsolePath(text: string): boolean {
  if (text.length > 512 || !PLAIN.test(text)) return false;
  const [path = ""] = text.slice(CONSOLE_HOME.length).split("?");
  const segments = path.split("/");
  const [last] = segments.slice(-1);
  return segments.slice(0, -1).every(isName) && (last === "" || isName(last ?? ""));
}

/** The default page. */
const CONSOLE_HOME = "/console/";

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

function isName(segment: string): boolean {
  return segment !== "" && segment !== "." && segment !== "..";
}

/** Escapes are for values of the query alone. */
const PLAIN = /^\/console\/[A-Za-z0-9._~/-]*(\?[A-Za-z0-9._~=&+%:-]*)?$/;
