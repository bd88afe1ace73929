import { foreignText, html } from "../../pages/html.ts";
import { type Page, page } from "../../pages/page.ts";
import type { OAuthClient } from "../clients/client.ts";
import { INTERACTION } from "./consent-url.ts";

export interface ConnectorPageContent {
  readonly client: OAuthClient;
  /** Names of connectors. */
  readonly connectors: readonly string[];
  readonly action: string;
  readonly secret: string;
  readonly requestId: string;
}

/** Asks a person where to sign in. */
export function connectorPage({ client, connectors, action, secret, requestId }: ConnectorPageContent): Page {
  const body = html`<h1>Where do you want to sign in?</h1>
<p>“${foreignText(client.name)}” wants to know who you are.</p>
<form method="post" action="${action}">
<input type="hidden" name="${INTERACTION}" value="${secret}">
<div class="actions">
${connectors.map((name) => html`<button name="connector" value="${name}">${foreignText(name)}</button>\n`)}</div>
</form>`;
  return page({ title: "Sign in", body, requestId });
}
