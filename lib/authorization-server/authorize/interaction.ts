import { sha256base64url } from "#sha256";
import { equalSecrets } from "../../kernel/equal-secrets.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isSecretText, newSecretText } from "../../kernel/secret-text.ts";
import { isLanguage, type Language } from "../../pages/language.ts";
import { PageError } from "../../pages/page-error.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { Browser, SignInContext } from "./sign-in-context.ts";

/** A step at which a sign-in or sign-out waits: for the person's decision, or for the connector. */
type Interaction =
  | ConsentInteraction
  | ConnectorChoice
  | ConnectorSignInInteraction
  | SignOutConfirmation
  | ConnectorSignOut
  | AppSignIn
  | AppHandOver
  | ConnectSignIn
  | ConnectConsent
  | ConnectAtProvider
  | ConnectReplacement;

/** An authorization request on its way. */
export interface Authorizing {
  readonly request: AuthorizationRequest;
  /** The person allowed it on our page. */
  readonly isConsented: boolean;
  /** Who was signed in here when the page was made. */
  readonly userId?: string;
  /** The person signed in for this very request. */
  readonly isSignedIn: boolean;
  /** Somebody else is signed in than the request is about. */
  readonly isAnother?: boolean;
}

export interface ConsentInteraction extends Authorizing {
  readonly stage: "consent";
}

export interface ConnectorChoice extends Authorizing {
  readonly stage: "connector";
}

/** The person is at a connector, which returns the secret as `state`. */
export interface ConnectorSignInInteraction extends Authorizing {
  readonly stage: "sign_in";
  readonly connector: string;
  readonly nonce: string;
  /** Of our request to the connector (RFC 7636); absent with `disablePKCE`. */
  readonly codeVerifier?: string;
  /** Milliseconds since the epoch. */
  readonly beganAt: number;
}

/** A sign-out that somebody has to confirm. */
export interface SignOutConfirmation extends SignOut {
  readonly stage: "sign_out";
}

/** The person signs out at the connector, which returns the secret as `state`. */
export interface ConnectorSignOut extends SignOut {
  readonly stage: "signed_out";
  /** Names of the connectors to sign out at after this one. */
  readonly remaining?: readonly string[];
}

/** Whoever asked for something of a web app and was not signed in there: what the app's host sealed (D203). */
export interface AppAttempt {
  /** Names the cookie that ties the attempt to its browser, and is no secret. */
  readonly id: string;
  readonly app: string;
  /** Where the app was asked. */
  readonly origin: string;
  /** Path and query there. */
  readonly returnTo: string;
  /** The names of the connectors that count. */
  readonly connectors: readonly string[];
  /** Somebody is signed in and wants to be somebody else: no session counts. */
  readonly isAnother?: true;
  /** Of the cookie's value. */
  readonly bindingHash: string;
}

/** The person is at a connector for a web app; the connector returns the secret as `state`. */
export interface AppSignIn {
  readonly stage: "app_sign_in";
  readonly attempt: AppAttempt;
  readonly connector: string;
  readonly nonce: string;
  readonly codeVerifier?: string;
}

/** The person is signed in here, and the web app's host takes the session over. */
export interface AppHandOver {
  readonly stage: "app_hand_over";
  readonly attempt: AppAttempt;
  readonly sessionHash: string;
}

/** The person signs in at a connector to open a link that connects an account (D213); the connector returns the secret as `state`. */
export interface ConnectSignIn {
  readonly stage: "connect_sign_in";
  /** Names the connect request in its link. */
  readonly id: string;
  readonly connector: string;
  readonly nonce: string;
  readonly codeVerifier?: string;
}

/** Whoever has this session looks at the page that asks whether to connect an account. */
export interface ConnectConsent {
  readonly stage: "connect";
  readonly id: string;
  readonly sessionHash: string;
}

/** The person is at the provider of the account, which returns the secret as `state`. */
export interface ConnectAtProvider {
  readonly stage: "connect_provider";
  readonly id: string;
  readonly sessionHash: string;
  /** Name of the `oauth` connector. */
  readonly connector: string;
  /** Where the code is to be redeemed, as it was when the person went there. */
  readonly tokenURL: string;
  readonly issuer?: string;
  readonly clientID: string;
  /** Whether there is a verifier (RFC 7636), which the browser brings back: the store has none. */
  readonly hasVerifier: boolean;
}

/** The person came back with another account than before, and is asked whether it replaces that one. */
export interface ConnectReplacement {
  readonly stage: "connect_replace";
  readonly id: string;
  readonly sessionHash: string;
  /** What the provider calls the two. */
  readonly former: string;
  readonly next: string;
  /** Where the tokens of the new one lie, sealed, and what is known of them. */
  readonly held: JsonObject;
}

interface SignOut {
  /** Where to go afterwards, complete with `state`; checked already. */
  readonly returnTo?: string;
}

/** An interaction with its secret and its revision. */
export interface FoundInteraction<I extends Interaction = Interaction> {
  readonly secret: string;
  readonly revision: number;
  readonly interaction: I;
}

/** What interactions are stored with. */
type InteractionPorts = Pick<AuthorizationServerPorts, "clock" | "random"> & {
  readonly stores: Pick<AuthorizationServerPorts["stores"], "grants">;
};

/** How long each step of it may take, milliseconds. */
export const INTERACTION_LIFETIME = 600_000;

/** A new interaction: the secret for URL and form, and the browser's part for the cookie. */
interface BegunInteraction {
  readonly secret: string;
  readonly binding: string;
}

/** Stores an interaction for this browser. A browser may have several at the same time, one in each tab. */
export async function beginInteraction(
  interaction: Interaction,
  { binding: known, language }: Browser,
  ports: InteractionPorts,
): Promise<BegunInteraction> {
  const binding = known !== undefined && isSecretText(known) ? known : newSecretText(ports.random);
  return { secret: await beginBound(interaction, sha256base64url(binding), ports, language.asked()), binding };
}

/**
 * Stores an interaction for the browser that has the binding of this hash, on whichever host.
 *
 * @param language that its flow asked for
 * @returns its secret
 */
export async function beginBound(
  interaction: Interaction,
  bindingHash: string,
  { stores, clock, random }: InteractionPorts,
  language?: Language,
): Promise<string> {
  const secret = newSecretText(random);
  await stores.grants.begin({
    interactionHash: sha256base64url(secret),
    revision: 1,
    content: contentOf(interaction, bindingHash, language),
    expiresAt: clock.now() + INTERACTION_LIFETIME,
  });
  return secret;
}

/** Stores the next step of a sign-in. It replaces the step before, if there was one. */
export async function saveInteraction(
  next: Interaction,
  found: FoundInteraction | undefined,
  { browser, dependencies }: SignInContext,
): Promise<BegunInteraction> {
  if (found === undefined || browser.binding === undefined) return beginInteraction(next, browser, dependencies);
  await advanceInteraction(found, next, browser, dependencies);
  return { secret: found.secret, binding: browser.binding };
}

/**
 * The interaction of a secret, if it waits for one of these stages in this browser. Pages are in its language from here on.
 *
 * @throws {PageError} it is over, or it is another browser's
 */
export async function findInteraction<Stage extends Interaction["stage"]>(
  secret: string | undefined,
  stages: readonly Stage[],
  { binding, language }: Browser,
  { stores, clock }: Pick<InteractionPorts, "stores" | "clock">,
): Promise<FoundInteraction<Extract<Interaction, { readonly stage: Stage }>>> {
  if (secret === undefined || !isSecretText(secret)) throw interactionOver("no secret of an interaction");
  const record = await stores.grants.interaction(sha256base64url(secret), clock.now());
  if (record === undefined) throw interactionOver("unknown, finished or expired");
  const { bindingHash, interaction, language: asked } = record.content as unknown as Content;
  if (binding === undefined || !equalSecrets(bindingHash, sha256base64url(binding)))
    throw otherBinding(binding, interaction);
  if (isLanguage(asked)) language.ask(asked);
  if (!isAt(interaction, stages)) throw interactionOver(`at another stage: ${interaction.stage}`);
  return { secret, revision: record.revision, interaction };
}

/** An interaction is another browser's, or began in this one before a tab beside it got the cookie that counts now. */
export class OtherBindingError extends PageError {
  /** Undefined where the browser has no such cookie at all. */
  readonly interaction: Interaction | undefined;
  constructor(interaction?: Interaction) {
    super(({ errors }) => errors.otherBrowser, { detail: "the browser's cookie is missing or another one" });
    this.interaction = interaction;
  }
}

function otherBinding(binding: string | undefined, interaction: Interaction): OtherBindingError {
  return new OtherBindingError(binding === undefined ? undefined : interaction);
}

/** Puts the next step in place of one. @throws {PageError} it is not there any more */
async function advanceInteraction(
  { secret, revision }: FoundInteraction,
  next: Interaction,
  { binding, language }: Browser,
  { stores, clock }: AuthorizationServerPorts,
): Promise<void> {
  const now = clock.now();
  const isAdvanced = await stores.grants.advance(
    {
      interactionHash: sha256base64url(secret),
      revision: revision + 1,
      content: contentOf(next, sha256base64url(binding ?? ""), language.asked()),
      expiresAt: now + INTERACTION_LIFETIME,
    },
    now,
  );
  if (!isAdvanced) throw interactionOver("somebody else was faster");
}

/** Removes an interaction. This succeeds for exactly one caller. @throws {PageError} for every other */
export async function finishInteraction(
  { secret, revision }: FoundInteraction,
  { stores, clock }: Pick<InteractionPorts, "stores" | "clock">,
): Promise<void> {
  const isFinished = await stores.grants.finish(sha256base64url(secret), revision, clock.now());
  if (!isFinished) throw interactionOver("somebody else was faster");
}

interface Content {
  readonly bindingHash: string;
  readonly interaction: Interaction;
  /** That the flow asked for; absent: what the browser prefers counts. */
  readonly language?: Language;
}

function contentOf(interaction: Interaction, bindingHash: string, language: Language | undefined): JsonObject {
  return { bindingHash, interaction, ...(language !== undefined && { language }) } satisfies Content;
}

function isAt<Stage extends Interaction["stage"]>(
  interaction: Interaction,
  stages: readonly Stage[],
): interaction is Extract<Interaction, { readonly stage: Stage }> {
  return stages.some((stage) => stage === interaction.stage);
}

function interactionOver(detail: string): PageError {
  return new PageError(({ errors }) => errors.over, { detail });
}
