import { foreignText, type Html, html } from "../pages/html.ts";
import type { Page } from "../pages/page.ts";

/** Why a request to a web app is not carried; also the last part of the problem's `type`. */
export type WebRefusalCode = keyof typeof KINDS;

/** An answer of ours in place of the app's. */
export interface WebRefusal {
  readonly code: WebRefusalCode;
  readonly status: number;
  readonly title: string;
  /** For the client; never names the upstream. */
  readonly detail: string;
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

const KINDS = {
  bad_request_target: [400, "Address not accepted"],
  ambiguous_path: [400, "Address not accepted"],
  bad_headers: [400, "Headers not accepted"],
  forbidden: [403, "Not allowed"],
  not_found: [404, "Not found"],
  body_too_large: [413, "Body too large"],
  target_too_long: [414, "Address too long"],
  upgrade_not_possible: [426, "WebSockets are not possible here"],
  too_many_requests: [429, "Too many requests"],
  not_carried: [501, "Not carried"],
  bad_identity: [502, "Not possible for this account"],
  upstream_unreachable: [502, "The application does not answer"],
  upstream_malformed: [502, "The application answered badly"],
  unavailable: [503, "Not available for now"],
  not_recorded: [503, "Not available for now"],
  upstream_timeout: [504, "The application is too slow"],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

export function webRefusal(
  code: WebRefusalCode,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): WebRefusal {
  const [status, title] = KINDS[code];
  return { code, status, title, detail, headers };
}

/** The page for people. It names no policy: what keeps somebody out is not theirs to know. */
export function refusalPage({ status, title, detail, signedIn }: WebRefusal, requestId: string): Page {
  const body = html`<h1>${title}</h1>
<p>${detail}</p>
${signedIn === undefined ? undefined : otherAccount(signedIn)}`;
  return { title, body, requestId, status };
}

function otherAccount({ name, otherSignIn }: SignedInAccount): Html {
  return html`<p>You are signed in as ${foreignText(name)}.</p>
<p>If you have another account that may see this page, sign in with it. If not, ask whoever runs this application for access, and tell them the request number below.</p>
<div class="actions"><a class="button" href="${otherSignIn}">Sign in with another account</a></div>`;
}

/** The body for programs (RFC 9457 section 3). */
export function refusalDetails({ code, status, title, detail }: WebRefusal, requestId: string): object {
  return {
    type: `urn:countersign:problem:${code}`,
    ...{ title, status, detail },
    instance: `urn:countersign:request:${requestId}`,
  };
}
