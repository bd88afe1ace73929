import type { NotConnected } from "../gateway/credentials/person-token.ts";
import { html } from "../pages/html.ts";
import { type Page, pageResponse, type Reader, readerOf } from "../pages/page.ts";
import { kindOf, returnURL, type UnknownRequest } from "./ask-to-sign-in.ts";
import type { AttemptPorts } from "./attempt.ts";
import type { AccountUse, PersonAccountPorts } from "./person-account.ts";
import { type WebRefusal, webRefusal } from "./refusal.ts";
import { routeOf } from "./who-asks.ts";

/**
 * The answer to a request of somebody whose own account has to be connected first, in the ways in which people are asked to sign in
 * (D203, D221). A page goes to the link and comes back. A script gets 403 with the link. A form is not sent on and not lost: its page says
 * what to do. Programs of a person get the link for their person.
 */
export async function askToConnect(
  { app, asked, caller, context }: AccountUse,
  { want, connector, why }: NotConnected,
  ports: PersonAccountPorts & Pick<AttemptPorts, "configuration">,
): Promise<{ readonly response: Response } | { readonly refusal: WebRefusal }> {
  const { request, cookies, path, query } = asked;
  const { method, headers } = request;
  const { requestId } = context;
  const route = routeOf(app.settings, asked);
  const unknown: UnknownRequest = { method, headers, cookies, path, query, route, requestId };
  const { configuration } = ports.configuration();
  const returnTo = returnURL(unknown, configuration);
  const asking = caller.kind === "person" ? { ...want, returnTo } : want;
  const link = await ports.connections?.ask(asking, context);
  if (link === undefined) return { refusal: webRefusal("too_many_requests", ({ connectTooOften }) => connectTooOften) };
  switch (kindOf(unknown)) {
    case "page":
      return { response: new Response(null, { status: 302, headers: { ...NOT_STORED, location: link.url } }) };
    case "script": {
      const body = { error: "connect_required", connect: link.url };
      return { response: Response.json(body, { status: 403, headers: NOT_STORED }) };
    }
    case "form":
      return { response: formPage({ connector, why, link: link.url, requestId }, readerOf(request, configuration)) };
  }
}

const NOT_STORED = { "cache-control": "no-store" };

interface FormContent {
  readonly connector: string;
  readonly why: NotConnected["why"];
  readonly link: string;
  readonly requestId: string;
}

function formPage({ connector, why, link, requestId }: FormContent, reader: Reader): Response {
  const page: Page = ({ webApps: { connect } }) => {
    const body = html`<h1>${connect.title}</h1>
<p>${connect.what} ${connect[why](connector)}</p>
<p>${connect.advice}</p>
<div class="actions"><a class="button primary" href="${link}" target="_blank" rel="noopener">${connect.button}</a></div>`;
    return { title: connect.title, body, requestId, status: 403 };
  };
  return pageResponse(page, reader);
}
