import { request } from "node:http";
import { Readable } from "node:stream";

/**
 * A request as `fetch` makes one, with the headers that only browsers may set: the platform's `fetch` calls every request one of a
 * script (`Sec-Fetch-Mode`).
 */
export function browserFetch(
  url: URL | string,
  { method = "GET", headers, body }: Pick<RequestInit, "method" | "headers" | "body"> = {},
): Promise<Response> {
  const { hostname, port, pathname, search } = new URL(url);
  // Browsers look for every name below `localhost` on this machine (RFC 6761 §6.3); not every system does.
  const here = hostname.endsWith(".localhost") ? "localhost" : hostname;
  const options = { hostname: here, port, method, path: pathname + search, headers: [...new Headers(headers)].flat() };
  return new Promise((resolve, reject) => {
    const sent = request(
      { ...options, setHost: false, headers: [...options.headers, "host", new URL(url).host] },
      (answer) => {
        const { statusCode: status = 0, rawHeaders } = answer;
        const fields = rawHeaders.flatMap((name, at): [string, string][] =>
          at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""]] : [],
        );
        const isEmpty = method === "HEAD" || status === 204 || status === 304;
        if (isEmpty) answer.resume();
        resolve(new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers: fields }));
      },
    );
    sent.once("error", reject).end(body);
  });
}
