import { RESOURCE_SERVER } from "./configuration.ts";
import type { HttpAnswer, HttpOutcome, HttpRequest } from "./http.ts";
import type { Exchange, Operation, Result } from "./journal.ts";
import type { World } from "./world.ts";

export type Parameters = Readonly<Record<string, string>>;

/** An answer and the line of the journal that it ended. */
export interface Answered {
  readonly exchange: Exchange;
  /** Undefined when no answer came. */
  readonly answer: HttpAnswer | undefined;
}

/** Sends one request and writes into the journal what became of it. `read` takes what is to be kept from a success. */
export async function exchange(
  { http, journal }: World,
  operation: Operation,
  request: HttpRequest,
  read: (answer: HttpAnswer) => Result,
): Promise<Answered> {
  const entry = journal.send(operation);
  const outcome = await http.send(request);
  if ("loss" in outcome) {
    journal.lose(entry, outcome.loss);
    return { exchange: entry, answer: undefined };
  }
  journal.answer(entry, outcome.status, { ...requestIdOf(outcome), ...resultOf(outcome, read) });
  return { exchange: entry, answer: outcome };
}

/** `application/x-www-form-urlencoded`, as the OAuth endpoints want it. */
export function formRequest(url: string, parameters: Parameters, headers: Parameters = {}): HttpRequest {
  return {
    method: "POST",
    url,
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(parameters).toString(),
  };
}

/** A request of the signed-in owner; a `body` goes as JSON. */
export function ownerRequest({ url, cookie }: World, method: string, path: string, body?: object): HttpRequest {
  return {
    method,
    url: `${url}/api/v1${path}`,
    headers: { Cookie: cookie, ...(body !== undefined && { "Content-Type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/** `Authorization` of the resource server (RFC 6749 §2.3.1); its id and secret need no encoding. */
export function resourceServer(): Parameters {
  return { Authorization: `Basic ${btoa(`${RESOURCE_SERVER.clientId}:${RESOURCE_SERVER.secret}`)}` };
}

/** The body of a request outside the journal, which must succeed. */
export function successful(outcome: HttpOutcome, what: string): HttpAnswer {
  if ("loss" in outcome) throw new Error(`${what} got no answer: ${outcome.loss}`);
  if (outcome.status >= 300) throw new Error(`${what} was answered ${outcome.status}: ${outcome.text}`);
  return outcome;
}

function requestIdOf({ headers }: HttpAnswer): Result {
  const requestId = headers["x-request-id"];
  return typeof requestId === "string" ? { requestId } : {};
}

function resultOf(answer: HttpAnswer, read: (answer: HttpAnswer) => Result): Result {
  return answer.status < 300 ? read(answer) : { refusal: refusalOf(answer) };
}

/** An OAuth error with its description, or the type of a problem; never what may hold a secret. */
function refusalOf({ status, text }: HttpAnswer): string {
  try {
    const { error, error_description, type } = JSON.parse(text) as Partial<Record<string, string>>;
    return [error ?? type ?? `status ${status}`, ...(error_description === undefined ? [] : [error_description])].join(
      ": ",
    );
  } catch {
    return `status ${status}, no JSON`;
  }
}
