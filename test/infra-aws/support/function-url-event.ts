import type { IncomingMessage } from "node:http";
import type { LambdaFunctionURLEvent } from "aws-lambda";

/** Content types that Function URLs hand over as text; every other body comes in base64. */
const TEXT = /^(text\/.*|application\/(json|javascript|xml)|.*\+(json|xml))\s*(;|$)/i;

/**
 * The event a Function URL makes of a request (payload format 2.0): lower-case header names, repeated headers joined by a
 * comma, cookies apart, and a body that is text or base64.
 */
export function functionUrlEvent(
  request: IncomingMessage,
  body: Buffer,
  added: Readonly<Record<string, string>>,
): LambdaFunctionURLEvent {
  const url = request.url ?? "/";
  const question = url.indexOf("?");
  const rawPath = question < 0 ? url : url.slice(0, question);
  const rawQueryString = question < 0 ? "" : url.slice(question + 1);
  const { cookie, ...headers } = joinedHeaders(request);
  const text = TEXT.test(headers["content-type"] ?? "");
  const now = new Date();
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString,
    ...(cookie !== undefined && { cookies: cookie.split(/;\s*/) }),
    headers: { ...headers, ...added },
    ...(rawQueryString !== "" && { queryStringParameters: Object.fromEntries(new URLSearchParams(rawQueryString)) }),
    requestContext: {
      accountId: "anonymous",
      apiId: "functionurl",
      domainName: "functionurl.lambda-url.us-east-2.on.aws",
      domainPrefix: "functionurl",
      http: {
        method: request.method ?? "GET",
        path: rawPath,
        protocol: "HTTP/1.1",
        sourceIp: request.socket.remoteAddress ?? "127.0.0.1",
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: crypto.randomUUID(),
      routeKey: "$default",
      stage: "$default",
      time: now.toUTCString(),
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 && { body: body.toString(text ? "utf8" : "base64") }),
    isBase64Encoded: body.length > 0 && !text,
  };
}

function joinedHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    if (values !== undefined) headers[name] = values.join(name === "cookie" ? "; " : ",");
  }
  return headers;
}
