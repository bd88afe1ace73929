import { accountName } from "../authorization-server/authorize/sign-in-pages.ts";
import { CONNECT, INTERACTION } from "../config/endpoints.ts";
import type { ConnectRequest } from "../connections/connect-request.ts";
import { withUnseenShown } from "../kernel/plain-name.ts";
import { foreignText, type Html, html } from "../pages/html.ts";
import type { Messages } from "../pages/messages/en.ts";
import type { Page } from "../pages/page.ts";
import type { ErrorTextIn } from "../pages/page-error.ts";
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
  return ({ connect }) => {
    const body = html`<h1>${connect.heading(shown(connector), shown(app))}</h1>
${asker(request, agentName, connect)}
<dt>${connect.signInAt(shown(connector))}</dt>
<dd>${shown(host)}</dd>
<dt>${connect.signedInAs}</dt>
<dd>${foreignText(accountName(signIn))}</dd>
</dl>
<h2 id="asked">${connect.asksFor(shown(connector))}</h2>
${scopeList(scopes, connect)}
${decision(id, secret, ["connect", connect.goOn], ["deny", connect.refuse])}`;
    return { title: connect.title(connector), body, requestId };
  };
}

/** Who asks for the account, and whom it will serve. */
function asker(
  { app, connector, agent, perAgent, returnTo }: ConnectRequest,
  agentName: string | undefined,
  connect: ConnectMessages,
): Html {
  if (returnTo !== undefined) {
    return html`<p>${connect.forPerson(shown(app), shown(connector))}</p>
<p class="note">${connect.cautionPerson(shown(app))}</p>
<dl>
<dt>${connect.usedFor}</dt>
<dd>${connect.ownRequests(shown(app))}</dd>`;
  }
  const agentShown = agentName === undefined ? shown(agent) : html`${shown(agentName)} <code>${shown(agent)}</code>`;
  return html`<p>${connect.forAgent(shown(app), shown(connector))}</p>
<p class="note">${connect.cautionAgent}</p>
<dl>
<dt>${connect.asker}</dt>
<dd>${agentShown}</dd>
<dt>${connect.whoUses}</dt>
<dd>${perAgent ? connect.thisAgent : connect.everyAgent(shown(app))}</dd>`;
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
  return ({ connect }) => {
    const body = html`<h1>${connect.anotherHeading(shown(connector))}</h1>
<p>${connect.anotherWhy(shown(app))}</p>
<dl>
<dt>${connect.former}</dt>
<dd>${shown(former)}</dd>
<dt>${connect.next}</dt>
<dd>${shown(next)}</dd>
</dl>
${decision(id, secret, ["replace", connect.useNew], ["keep", connect.keepFormer])}`;
    return { title: connect.another, body, requestId };
  };
}

export interface DoneContent extends Omit<ShownRequest, "id"> {
  readonly account: ProviderAccount | undefined;
  /** Scopes that were asked for and not granted. */
  readonly missing: readonly string[];
}

/** Says that the account is connected, and what to do now. */
export function donePage({ request, account, missing, requestId }: DoneContent): Page {
  const { app, connector } = request;
  return ({ connect }) => {
    const body = html`<h1>${connect.doneHeading(shown(connector), shown(app))}</h1>
${account === undefined ? undefined : html`<p>${connect.account}: <strong>${shown(nameOf(account))}</strong></p>\n`}${missing.length === 0 ? undefined : missingNote(connector, missing, connect)}
${wayBack(request, connect, connect.agentGoesOn)}`;
    return { title: connect.done(connector), body, requestId };
  };
}

/** What the former account is called after the person kept it. */
export function keptPage({ request, former, requestId }: Omit<ShownRequest, "id"> & { readonly former: string }): Page {
  return ({ connect }) => {
    const body = html`<h1>${connect.unchanged}</h1>
<p>${connect.kept(shown(request.app), shown(former))}</p>
${wayBack(request, connect)}`;
    return { title: connect.unchanged, body, requestId };
  };
}

/** What the person does now. @param goesOn what their agent does */
function wayBack({ app, returnTo }: ConnectRequest, connect: ConnectMessages, goesOn?: string): Html {
  if (returnTo !== undefined) {
    return html`<div class="actions"><a class="button primary" href="${returnTo}">${connect.toApp(shown(app))}</a></div>`;
  }
  return html`<p>${connect.toAgent} ${goesOn === undefined ? undefined : `${goesOn} `}${connect.closePage}</p>`;
}

/**
 * Says that the link is somebody else's. Whose it is, and what it asks for, is nothing to the one who opened it.
 *
 * @param signOut where people sign out
 */
export function notYoursPage(signOut: string, requestId: string): Page {
  return ({ connect, signOut: { button } }) => {
    const body = html`<h1>${connect.notYours}</h1>
<p>${connect.notYoursWhy}</p>
<p class="note">${connect.notYoursCaution}</p>
<p>${connect.notYoursAdvice}</p>
<div class="actions"><a class="button" href="${signOut}">${button}</a></div>`;
    return { title: connect.notYours, body, status: 403, requestId };
  };
}

export interface RefusedContent {
  readonly text: ErrorTextIn;
  readonly status: number;
  /** The link that may be opened once more; absent: it is over. */
  readonly again?: string;
  readonly requestId: string;
}

/** Says why nothing was connected, and what to do. */
export function refusedPage({ text, status, again, requestId }: RefusedContent): Page {
  return (messages) => {
    const { title, message, advice } = text(messages);
    const body = html`<h1>${title}</h1>
<p>${message}</p>
${advice === undefined ? undefined : html`<p>${advice}</p>\n`}${
  again === undefined
    ? undefined
    : html`<div class="actions"><a class="button" href="${CONNECT}/${again}">${messages.connect.startAgain}</a></div>`
}`;
    return { title, body, status, requestId };
  };
}

type ConnectMessages = Messages["connect"];

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

function scopeList(scopes: readonly string[], { noScope }: ConnectMessages): Html {
  return html`<ul aria-labelledby="asked">
${scopes.map((scope) => html`<li><code>${shown(scope)}</code></li>\n`)}${
  scopes.length === 0 ? html`<li>${noScope}</li>` : undefined
}</ul>`;
}

function missingNote(connector: string, missing: readonly string[], connect: ConnectMessages): Html {
  const scopes = missing.map((scope, index) => html`${index === 0 ? "" : ", "}<code>${shown(scope)}</code>`);
  return html`<p class="note">${connect.missing(shown(connector), html`${scopes}`)}</p>`;
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
