import { accountName } from "../authorization-server/authorize/sign-in-pages.ts";
import { CONNECT, INTERACTION } from "../config/endpoints.ts";
import type { ConnectRequest } from "../connections/connect-request.ts";
import { withUnseenShown } from "../kernel/plain-name.ts";
import { foreignText, type Html, html } from "../pages/html.ts";
import type { Page } from "../pages/page.ts";
import type { ConnectorSignIn } from "../stores/directory.ts";
import type { ProviderAccount } from "./connect-context.ts";

/** What is shown of a request, and how its form names it. */
export interface ShownRequest {
  readonly id: string;
  readonly request: ConnectRequest;
  readonly requestId: string;
}

export interface ConsentContent extends ShownRequest {
  readonly secret: string;
  readonly signIn: ConnectorSignIn;
  /** Of the agent; absent: nothing but its id is known. */
  readonly agentName: string | undefined;
  /** Host of the provider. */
  readonly host: string;
}

/** Asks a person whether to connect an account. */
export function connectPage({ id, request, secret, signIn, agentName, host, requestId }: ConsentContent): Page {
  const { app, connector, scopes } = request;
  const body = html`<h1>Connect ${shown(connector)} to “${shown(app)}”?</h1>
${asker(request, agentName)}
<dt>You sign in to ${shown(connector)} at</dt>
<dd>${shown(host)}</dd>
<dt>You are signed in here as</dt>
<dd>${foreignText(accountName(signIn))}</dd>
</dl>
<h2 id="asked">It asks ${shown(connector)} for</h2>
${scopeList(scopes)}
${decision(id, secret, ["connect", "Go on"], ["deny", "Do not connect"])}`;
  return { title: `Connect ${connector}?`, body, requestId };
}

/** Who asks for the account, and whom it will serve. */
function asker({ app, connector, agent, perAgent, returnTo }: ConnectRequest, agentName: string | undefined): Html {
  if (returnTo !== undefined) {
    return html`<p>You opened “${shown(app)}”, which works with your account at ${shown(connector)}. The application gets a token of it with your requests; your browser does not.</p>
<p class="note">Go on only if you opened “${shown(app)}” just now.</p>
<dl>
<dt>What the account is used for</dt>
<dd>Your own requests to “${shown(app)}”</dd>`;
  }
  const agentShown = agentName === undefined ? shown(agent) : html`${shown(agentName)} <code>${shown(agent)}</code>`;
  return html`<p>An agent of yours wants to use “${shown(app)}”, which needs your account at ${shown(connector)}. The agent sees neither the account’s password nor its token.</p>
<p class="note">Go on only if an agent that you use gave you this link just now.</p>
<dl>
<dt>The agent that asks</dt>
<dd>${agentShown}</dd>
<dt>Who may use the account for you</dt>
<dd>${perAgent ? "This agent alone" : html`Every agent of yours that may call “${shown(app)}” here`}</dd>`;
}

export interface ReplacementContent extends ShownRequest {
  readonly secret: string;
  /** What the provider calls the accounts. */
  readonly former: string;
  readonly next: string;
}

/** Asks a person who came back with another account than before. */
export function replacementPage({ id, request, secret, former, next, requestId }: ReplacementContent): Page {
  const { app, connector } = request;
  const body = html`<h1>Another account at ${shown(connector)}?</h1>
<p>So far “${shown(app)}” uses one account of yours, and you came back with another one.</p>
<dl>
<dt>In use until now</dt>
<dd>${shown(former)}</dd>
<dt>You came back with</dt>
<dd>${shown(next)}</dd>
</dl>
${decision(id, secret, ["replace", "Use the new one"], ["keep", "Keep the former one"])}`;
  return { title: "Another account?", body, requestId };
}

export interface DoneContent extends Omit<ShownRequest, "id"> {
  readonly account: ProviderAccount | undefined;
  /** Scopes that were asked for and not granted. */
  readonly missing: readonly string[];
}

/** Says that the account is connected, and what to do now. */
export function donePage({ request, account, missing, requestId }: DoneContent): Page {
  const { app, connector } = request;
  const body = html`<h1>${shown(connector)} is connected to “${shown(app)}”</h1>
${account === undefined ? undefined : html`<p>Account: <strong>${shown(nameOf(account))}</strong></p>\n`}${missing.length === 0 ? undefined : missingNote(connector, missing)}
${wayBack(request, "It goes on by itself, or asks again for what you wanted.")}`;
  return { title: `${connector} is connected`, body, requestId };
}

/** What the former account is called after the person kept it. */
export function keptPage({ request, former, requestId }: Omit<ShownRequest, "id"> & { readonly former: string }): Page {
  const body = html`<h1>Nothing was changed</h1>
<p>“${shown(request.app)}” uses ${shown(former)} as before. The account that you came back with was not kept.</p>
${wayBack(request)}`;
  return { title: "Nothing was changed", body, requestId };
}

/** What the person does now. @param goesOn what their agent does */
function wayBack({ app, returnTo }: ConnectRequest, goesOn?: string): Html {
  if (returnTo !== undefined) {
    return html`<div class="actions"><a class="button primary" href="${returnTo}">Go on to “${shown(app)}”</a></div>`;
  }
  return html`<p>Go back to your agent. ${goesOn === undefined ? undefined : `${goesOn} `}You can close this page.</p>`;
}

/**
 * Says that the link is somebody else's. Whose it is, and what it asks for, is nothing to the one who opened it.
 *
 * @param signOut where people sign out
 */
export function notYoursPage(signOut: string, requestId: string): Page {
  const body = html`<h1>This link is not for you</h1>
<p>It connects an account of the person whose agent asked for it, and you are signed in as somebody else. Nothing was connected.</p>
<p class="note">Did somebody send you this link? Then they may want to use your account as theirs. Do not go on, and tell whoever runs this service, with the request number below.</p>
<p>If you use several accounts here, sign out and open the link again as the one who uses the agent.</p>
<div class="actions"><a class="button" href="${signOut}">Sign out</a></div>`;
  return { title: "This link is not for you", body, status: 403, requestId };
}

export interface RefusedContent {
  readonly title: string;
  readonly message: string;
  readonly advice?: string;
  readonly status: number;
  /** The link that may be opened once more; absent: it is over. */
  readonly again?: string;
  readonly requestId: string;
}

/** Says why nothing was connected, and what to do. */
export function refusedPage({ title, message, advice, status, again, requestId }: RefusedContent): Page {
  const body = html`<h1>${title}</h1>
<p>${message}</p>
${advice === undefined ? undefined : html`<p>${advice}</p>\n`}${
  again === undefined
    ? undefined
    : html`<div class="actions"><a class="button" href="${CONNECT}/${again}">Start again</a></div>`
}`;
  return { title, body, status, requestId };
}

/** What people know an account by. */
export function nameOf({ id, label }: ProviderAccount): string {
  return label ?? id;
}

/** Names on which it depends what a person agrees to: nothing of them may be unseen, or change how the rest reads. */
function shown(text: string): Html {
  return foreignText(withUnseenShown(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text));
}

/** Characters of a name that somebody else chose. */
const LONGEST = 200;

function scopeList(scopes: readonly string[]): Html {
  return html`<ul aria-labelledby="asked">
${scopes.map((scope) => html`<li><code>${shown(scope)}</code></li>\n`)}${
  scopes.length === 0 ? html`<li>Whatever it gives to those who ask for nothing particular</li>` : undefined
}</ul>`;
}

function missingNote(connector: string, missing: readonly string[]): Html {
  return html`<p class="note">${shown(connector)} did not grant ${missing.map(
    (scope, index) => html`${index === 0 ? "" : ", "}<code>${shown(scope)}</code>`,
  )}. Tools that need it will ask you again.</p>`;
}

type Choice = readonly [value: string, label: string];

function decision(id: string, secret: string, [yes, yesLabel]: Choice, [no, noLabel]: Choice): Html {
  return html`<form method="post" action="${CONNECT}/${id}">
<input type="hidden" name="${INTERACTION}" value="${secret}">
<div class="actions">
<button class="primary" name="decision" value="${yes}">${yesLabel}</button>
<button name="decision" value="${no}">${noLabel}</button>
</div>
</form>`;
}
