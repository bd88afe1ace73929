import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { buildRequest, type UpstreamRequest } from "../../lib/openapi/request.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { compileOperation } from "./compiled.ts";

/** What arrived, byte by byte. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** An API on a loopback port that answers nothing and says what it was sent. */
export interface ReceivingAPI {
  readonly url: string;
  receive(request: UpstreamRequest): Promise<Arrival>;
  stop(): Promise<void>;
}

export async function startReceivingAPI(): Promise<ReceivingAPI> {
  const arrivals: Arrival[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    arrivals.push({ method, url, headers, body: new Uint8Array(await buffer(incoming)) });
    outgoing.writeHead(204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async receive({ url, method, headers, body }) {
      await fetch(url, { method, headers, ...(body !== undefined && { body }) });
      return arrivals.shift() as Arrival;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The fields of a multipart body, by a reader that is not ours. */
export async function formOf({ body, headers }: Arrival): Promise<FormData> {
  return await new Response(body, { headers: { "content-type": String(headers["content-type"]) } }).formData();
}

/** What arrives when the tool of an operation is called with these arguments, which fit its schema. */
export async function arrivalAt(
  api: ReceivingAPI,
  operation: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
  method = "post",
): Promise<Arrival> {
  const tool = await compileOperation(method, "/a", operation);
  expect(createSchemaCheck()(tool.inputSchema, given)).toEqual([]);
  return api.receive(buildRequest(api.url, tool.request, given));
}
