import { html } from "../pages/html.ts";
import { type Page, page } from "../pages/page.ts";

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
  /** Where the person signs in as somebody else, who may be let in. */
  readonly otherSignIn?: string;
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
export function refusalPage({ status, title, detail, otherSignIn }: WebRefusal, requestId: string): Page {
  const body = html`<h1>${title}</h1>
<p>${detail}</p>
${otherSignIn === undefined ? undefined : html`<div class="actions"><a class="button" href="${otherSignIn}">Sign in as somebody else</a></div>`}`;
  return page({ title, body, requestId, status });
}

/** The body for programs (RFC 9457 section 3). */
export function refusalDetails({ code, status, title, detail }: WebRefusal, requestId: string): object {
  return {
    type: `urn:countersign:problem:${code}`,
    ...{ title, status, detail },
    instance: `urn:countersign:request:${requestId}`,
  };
}
