import { foreignText, type Html, html } from "../pages/html.ts";
import { en, type Messages } from "../pages/messages/en.ts";
import type { Page } from "../pages/page.ts";

/** Why a request to a web app is not carried; also the last part of the problem's `type`. */
export type WebRefusalCode = keyof typeof STATUS;

/** An answer of ours in place of the app's. */
export interface WebRefusal {
  readonly code: WebRefusalCode;
  readonly status: number;
  /** For the client, in its person's language; never names the upstream. */
  readonly detail: (messages: WebMessages) => string;
  /** Besides those that every answer has; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of a person whom another account may let in; for the page alone, not for logs. */
  readonly signedIn?: SignedInAccount;
}

export interface SignedInAccount {
  /** The name by which the person knows it. */
  readonly name: string;
  /** Where the person signs in with another one. */
  readonly otherSignIn: string;
}

const STATUS = {
  bad_request_target: 400,
  ambiguous_path: 400,
  bad_headers: 400,
  forbidden: 403,
  not_found: 404,
  body_too_large: 413,
  target_too_long: 414,
  upgrade_not_possible: 426,
  too_many_requests: 429,
  not_carried: 501,
  bad_identity: 502,
  upstream_unreachable: 502,
  upstream_malformed: 502,
  unavailable: 503,
  not_recorded: 503,
  upstream_timeout: 504,
} as const satisfies Readonly<Record<keyof WebMessages["refusals"], number>>;

type WebMessages = Messages["webApps"];

export function webRefusal(
  code: WebRefusalCode,
  detail: WebRefusal["detail"],
  headers: Readonly<Record<string, string>> = {},
): WebRefusal {
  return { code, status: STATUS[code], detail, headers };
}

/** The page for people. It names no policy: what keeps somebody out is not theirs to know. */
export function refusalPage({ code, status, detail, signedIn }: WebRefusal, requestId: string): Page {
  return ({ webApps }) => {
    const title = webApps.refusals[code];
    const body = html`<h1>${title}</h1>
<p>${detail(webApps)}</p>
${signedIn === undefined ? undefined : otherAccount(signedIn, webApps)}`;
    return { title, body, requestId, status };
  };
}

function otherAccount({ name, otherSignIn }: SignedInAccount, { otherAccount: texts }: WebMessages): Html {
  return html`<p>${texts.signedInAs(foreignText(name))}</p>
<p>${texts.advice}</p>
<div class="actions"><a class="button" href="${otherSignIn}">${texts.button}</a></div>`;
}

/** The body for programs (RFC 9457 section 3), in English. */
export function refusalDetails({ code, status, detail }: WebRefusal, requestId: string): object {
  return {
    type: `urn:countersign:problem:${code}`,
    ...{ title: en.webApps.refusals[code], status, detail: detail(en.webApps) },
    instance: `urn:countersign:request:${requestId}`,
  };
}
