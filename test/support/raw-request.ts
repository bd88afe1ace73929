import { type IncomingHttpHeaders, request } from "node:http";

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it came, also when it is compressed. */
  readonly body: Buffer;
}

export interface RawRequest {
  /** Sent as it is written: nothing is resolved or encoded. */
  readonly path: string;
  /** GET unless given. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request without the help of `fetch`, which tidies paths up and decodes bodies. */
export function rawRequest(origin: string, { path, method = "GET", headers = {} }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) });
    });
    sent.once("error", reject).end();
  });
}
