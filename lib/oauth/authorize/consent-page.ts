import { foreignText, type Html, html } from "../../pages/html.ts";
import { type Page, page } from "../../pages/page.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import type { OAuthClient } from "../clients/client.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { INTERACTION } from "./consent-url.ts";
import { redirectHost } from "./redirect-host.ts";
import { scopeWords } from "./scope-words.ts";

export interface ConsentPageContent {
  readonly client: OAuthClient;
  readonly request: AuthorizationRequest;
  /** Where the form goes. */
  readonly action: string;
  readonly secret: string;
  /** Who is signed in; absent: nobody yet. */
  readonly signIn: ConnectorSignIn | undefined;
  readonly requestId: string;
}

/** Asks a person whether a client may have what it wants. */
export function consentPage({ client, request, action, secret, signIn, requestId }: ConsentPageContent): Page {
  const name = foreignText(client.name);
  const body = html`<h1>Allow “${name}” to act for you?</h1>
${client.kind === "app" ? undefined : strangerNote(client)}
<h2 id="asked">It asks to</h2>
<ul aria-labelledby="asked">
${request.scopes.map((scope) => html`<li>${scopeWords(scope) ?? "Use the permission"} <code>${foreignText(scope)}</code></li>\n`)}${
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
  return page({ title: `Allow “${client.name}”?`, body, requestId });
}

/** Names are chosen by whoever registers; hosts are not (RFC 9700 §4.11). */
function strangerNote({ kind, clientId, uri }: OAuthClient): Html {
  const host = kind === "metadata_document" ? new URL(clientId).host : uri && new URL(uri).host;
  return html`<p class="note">This application registered itself, and nobody here has checked it${
    host === undefined ? "." : html`. It says that it comes from <strong>${foreignText(host)}</strong>.`
  } Go on only if you have just started to connect it.</p>`;
}

/** How a person knows the account. */
function accountName({ claims, subject, connector }: ConnectorSignIn): string {
  const known = [claims.email, claims.preferred_username, claims.name].find((claim) => typeof claim === "string");
  return `${known ?? subject} (${connector})`;
}
