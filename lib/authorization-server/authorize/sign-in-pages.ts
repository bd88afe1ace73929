import { INTERACTION } from "../../config/endpoints.ts";
import { foreignText, type Html, html } from "../../pages/html.ts";
import { type LocalizedText, textIn } from "../../pages/language.ts";
import type { Messages } from "../../pages/messages/en.ts";
import type { Page } from "../../pages/page.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import type { OAuthClient } from "../clients/client.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { redirectHost } from "./authorization-response.ts";

export interface ConsentPageContent {
  readonly client: OAuthClient;
  readonly request: AuthorizationRequest;
  /** In the operator's words. */
  readonly scopeDescriptions: Readonly<Record<string, LocalizedText>>;
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
  return ({ consent }, language) => {
    const words: Readonly<Record<string, LocalizedText>> = { ...consent.scopes, ...scopeDescriptions };
    const meaning = (scope: string) =>
      Object.hasOwn(words, scope) ? textIn(words[scope] as LocalizedText, language) : consent.otherScope;
    const body = html`<h1>${consent.heading(foreignText(client.name))}</h1>
${client.kind === "app" ? undefined : dynamicClientNote(client, consent)}
<h2 id="asked">${consent.asks}</h2>
<ul aria-labelledby="asked">
${request.scopes.map((scope) => html`<li>${meaning(scope)} <code>${foreignText(scope)}</code></li>\n`)}${
  request.scopes.length === 0 ? html`<li>${consent.noScope}</li>` : undefined
}</ul>
<h2>${consent.where}</h2>
<dl>
<dt>${consent.usedAt}</dt>
${request.resources.map((resource) => html`<dd>${foreignText(resource)}</dd>\n`)}<dt>${consent.sentBackTo}</dt>
<dd>${foreignText(redirectHost(request.redirectURL, consent))}</dd>
${signIn === undefined ? undefined : html`<dt>${consent.signedInAs}</dt>\n<dd>${foreignText(accountName(signIn))}</dd>\n`}</dl>
${signIn === undefined ? html`<p>${consent.signInNext}</p>` : undefined}
<form method="post" action="${action}">
<input type="hidden" name="${INTERACTION}" value="${secret}">
<div class="actions">
<button class="primary" name="decision" value="allow">${consent.allow}</button>
<button name="decision" value="deny">${consent.deny}</button>
</div>
</form>`;
    return { title: consent.title(client.name), body, requestId };
  };
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
  return ({ signIn }) => {
    const body = html`<h1>${signIn.where}</h1>
<p>${signIn.why(foreignText(name))}</p>
<form method="post" action="${action}">
<input type="hidden" name="${field.name}" value="${field.value}">
<div class="actions">
${connectors.map((one) => html`<button name="connector" value="${one}">${foreignText(one)}</button>\n`)}</div>
</form>`;
    return { title: signIn.title, body, requestId };
  };
}

/** A client chooses its own name, but not its host (RFC 9700 §4.11). */
function dynamicClientNote({ kind, clientId, uri }: OAuthClient, { unchecked }: Messages["consent"]): Html {
  const host = kind === "metadata_document" ? new URL(clientId).host : uri && new URL(uri).host;
  return html`<p class="note">${unchecked(host === undefined ? undefined : foreignText(host))}</p>`;
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
