import type { LambdaFunctionURLEvent } from "aws-lambda";
import { ORIGIN_HEADER, VIEWER_ADDRESS_HEADER, VIEWER_HOST_HEADER } from "./front.ts";

const FRONT_HEADERS: readonly string[] = [ORIGIN_HEADER, VIEWER_HOST_HEADER, VIEWER_ADDRESS_HEADER];

/**
 * A Function URL event (payload format 2.0) as a request. `host` is the one the client used. Undefined when the event
 * cannot be a request of the Fetch standard, for example with method TRACE.
 */
export function toRequest(event: LambdaFunctionURLEvent, host: string): Request | undefined {
  const { method } = event.requestContext.http;
  try {
    const url = new URL(`https://${host}`);
    url.pathname = event.rawPath;
    url.search = event.rawQueryString;
    return new Request(url, { method, headers: headersOf(event, host), body: bodyOf(event, method) });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The request target, as far as the platform tells it. */
export function targetOf({ rawPath, rawQueryString }: LambdaFunctionURLEvent): string {
  return rawQueryString === "" ? rawPath : `${rawPath}?${rawQueryString}`;
}

function headersOf(event: LambdaFunctionURLEvent, host: string): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers)) {
    if (value !== undefined && !FRONT_HEADERS.includes(name)) headers.set(name, value);
  }
  headers.set("host", host);
  if (event.cookies !== undefined && event.cookies.length > 0) headers.set("cookie", event.cookies.join("; "));
  return headers;
}

function bodyOf(event: LambdaFunctionURLEvent, method: string): BodyInit | null {
  if (event.body === undefined || method === "GET" || method === "HEAD") return null;
  return event.isBase64Encoded ? Buffer.from(event.body, "base64") : event.body;
}
