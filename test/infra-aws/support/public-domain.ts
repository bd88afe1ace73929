import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { LambdaFunctionURLEvent } from "aws-lambda";
import { ORIGIN_HEADER, VIEWER_ADDRESS_HEADER, VIEWER_HOST_HEADER } from "../../../infra/aws/front.ts";
import { challengeFunction } from "./challenge-function.ts";
import { functionUrlEvent } from "./function-url-event.ts";
import { splitAnswer } from "./http-integration.ts";

/** Invokes the function: the bytes it streams, status and headers in front. They fail when the function fails. */
export type Invoke = (event: LambdaFunctionURLEvent) => AsyncIterable<Uint8Array>;

/** A region's public domain on a loopback port: CloudFront with its viewer function, and the Function URL behind it. */
export interface PublicDomain {
  readonly url: string;
  /** From now on requests go to this function. */
  serve(invoke: Invoke): void;
  close(): Promise<void>;
}

/** Lambda's limit for an event. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;

/**
 * What AWS puts in front of the function, on one port: the Function URL, which renames `WWW-Authenticate`, and the
 * distribution, which runs the template's own code to name it as before (D183).
 * @param originSecret what the distribution adds as proof; undefined: requests come straight to the Function URL
 */
export async function openPublicDomain(originSecret: string | undefined): Promise<PublicDomain> {
  let invoke: Invoke | undefined;
  const server = createServer((request, response) => {
    forward(request, response, originSecret, invoke).catch((cause: unknown) => {
      response.destroy(cause instanceof Error ? cause : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (next) => {
      invoke = next;
    },
    close: () => close(server),
  };
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  originSecret: string | undefined,
  invoke: Invoke | undefined,
): Promise<void> {
  const body = await readBody(request);
  if (body === undefined || invoke === undefined) {
    response.writeHead(body === undefined ? 413 : 503).end();
    return;
  }
  const added = originSecret === undefined ? {} : addedByFront(request, originSecret);
  const answer = await splitAnswer(invoke(functionUrlEvent(request, body, added))).catch(() => undefined);
  if (answer === undefined) {
    response.writeHead(502, { "Content-Type": "text/plain" }).end("Internal Server Error");
    return;
  }
  const { statusCode = 200, headers = {}, cookies = [] } = answer.metadata;
  const seen = originSecret === undefined ? renamed(headers) : await restored(statusCode, renamed(headers));
  response.writeHead(statusCode, { ...seen, ...(cookies.length > 0 && { "Set-Cookie": [...cookies] }) });
  response.flushHeaders();
  for await (const piece of answer.body) response.write(piece);
  response.end();
}

type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

/** As Function URLs do. */
function renamed(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase() === "www-authenticate" ? "x-amzn-Remapped-WWW-Authenticate" : name,
    value,
  ]);
  return Object.fromEntries(names);
}

const restore = challengeFunction();

/** As the distribution does, with status and headers of every answer. */
async function restored(status: number, headers: Readonly<Record<string, string>>): Promise<HeaderValues> {
  const lists = Object.entries(headers).map(([key, value]) => [key.toLowerCase(), [{ key, value }]]);
  const answer = { status: String(status), statusDescription: "", headers: Object.fromEntries(lists) };
  const { headers: after } = await restore(answer);
  const single = Object.values(after).map((list) => [list[0]?.key ?? "", list.map(({ value }) => value)]);
  return Object.fromEntries(single);
}

function addedByFront(request: IncomingMessage, originSecret: string): Record<string, string> {
  return {
    [ORIGIN_HEADER]: originSecret,
    [VIEWER_HOST_HEADER]: request.headers.host ?? "",
    [VIEWER_ADDRESS_HEADER]: request.socket.remoteAddress ?? "",
    host: "functionurl.lambda-url.us-east-2.on.aws",
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length <= MAX_BODY_BYTES) pieces.push(piece);
  }
  return length <= MAX_BODY_BYTES ? Buffer.concat(pieces) : undefined;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
