import { INTERACTION } from "../../config/endpoints.ts";
import { foreignText, type Html, html } from "../../pages/html.ts";
import type { Page } from "../../pages/page.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import type { OAuthClient } from "../clients/client.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { redirectHost } from "./authorization-response.ts";

export interface ConsentPageContent {
  readonly client: OAuthClient;
  readonly request: AuthorizationRequest;
  /** In the operator's words. */
  readonly scopeDescriptions: Readonly<Record<string, string>>;
  /** Where the form goes. */
  readonly action: string;
  readonly secret: string;
  /** Who is signed in; absent: nobody yet. */
  readonly signIn: ConnectorSignIn | undefined;
  readonly requestId: string;
}

/** Asks a person whether a client may have what it wants. */
export function consentPage({
  client,
  request,
  scopeDescriptions,
  action,
  secret,
  signIn,
  requestId,
}: ConsentPageContent): Page {
  const name = foreignText(client.name);
  const words = { ...WORDS, ...scopeDescriptions };
  const body = html`<h1>Allow “${name}” to act for you?</h1>
${client.kind === "app" ? undefined : dynamicClientNote(client)}
<h2 id="asked">It asks to</h2>
<ul aria-labelledby="asked">
${request.scopes.map((scope) => html`<li>${Object.hasOwn(words, scope) ? words[scope] : "Use the permission"} <code>${foreignText(scope)}</code></li>\n`)}${
  request.scopes.length === 0 ? html`<li>Act for you, without any further permission</li>` : undefined
}</ul>
<h2>Where</h2>
<dl>
<dt>For use at</dt>
${request.resources.map((resource) => html`<dd>${foreignText(resource)}</dd>\n`)}<dt>You are sent back to</dt>
<dd>${foreignText(redirectHost(request.redirectURL))}</dd>
${signIn === undefined ? undefined : html`<dt>You are signed in as</dt>\n<dd>${foreignText(accountName(signIn))}</dd>\n`}</dl>
${signIn === undefined ? html`<p>You sign in next.</p>` : undefined}
<form method="post" action="${action}">
<input type="hidden" name="${INTERACTION}" value="${secret}">
<div class="actions">
<button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</div>
</form>`;
  return { title: `Allow “${client.name}”?`, body, requestId };
}

interface ConnectorPageContent {
  /** Of the client or app. */
  readonly name: string;
  /** Names of connectors. */
  readonly connectors: readonly string[];
  readonly action: string;
  /** What the form sends besides: which sign-in it is about. */
  readonly field: { readonly name: string; readonly value: string };
  readonly requestId: string;
}

/** Asks a person where to sign in. */
export function connectorPage({ name, connectors, action, field, requestId }: ConnectorPageContent): Page {
  const body = html`<h1>Where do you want to sign in?</h1>
<p>“${foreignText(name)}” wants to know who you are.</p>
<form method="post" action="${action}">
<input type="hidden" name="${field.name}" value="${field.value}">
<div class="actions">
${connectors.map((one) => html`<button name="connector" value="${one}">${foreignText(one)}</button>\n`)}</div>
</form>`;
  return { title: "Sign in", body, requestId };
}

/** What the scopes of OpenID Connect (Core 1.0 §5.4, §11) mean to a person. Others are named alone where nobody describes them. */
const WORDS: Readonly<Record<string, string>> = {
  openid: "Know that it is you",
  profile: "See your name and other details of your profile",
  email: "See your e-mail address",
  offline_access: "Keep this access while you are away",
};

/** A client chooses its own name, but not its host (RFC 9700 §4.11). */
function dynamicClientNote({ kind, clientId, uri }: OAuthClient): Html {
  const host = kind === "metadata_document" ? new URL(clientId).host : uri && new URL(uri).host;
  return html`<p class="note">This application registered itself, and nobody here has checked it${
    host === undefined ? "." : html`. It says that it comes from <strong>${foreignText(host)}</strong>.`
  } Go on only if you have just started to connect it.</p>`;
}

/** The name by which a person knows the account. */
export function accountName({
  claims,
  subject,
  connector,
}: Pick<ConnectorSignIn, "claims" | "subject" | "connector">): string {
  const known = [claims.email, claims.preferred_username, claims.name].find((claim) => typeof claim === "string");
  return `${known ?? subject} (${connector})`;
}
