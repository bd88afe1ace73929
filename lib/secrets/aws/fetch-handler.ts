import { readBody } from "../../http/read-body.ts";
import { ANSWER_LIMIT, TOO_LARGE } from "../http.ts";

/** What the SDK hands over for one attempt, as far as it is used here. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

interface SdkOptions {
  readonly abortSignal?: AbortSignal;
}

/** An answer was larger than any that holds a secret. */
export class AnswerTooLargeError extends Error {
  constructor() {
    super(TOO_LARGE);
    this.name = "AnswerTooLargeError";
  }
}

/**
 * Lets the SDK send its requests with our `fetch`, which goes through the proxies of the environment and reads answers of
 * bounded size only; the SDK's own handler does neither.
 */
export function fetchHandler(fetch: typeof globalThis.fetch) {
  return {
    async handle(request: SdkRequest, { abortSignal }: SdkOptions = {}) {
      const { method, protocol, hostname, port, path, body } = request;
      // The signed Host is the URL's, which fetch sends by itself.
      const { host, ...headers } = request.headers;
      const url = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`;
      const signal = abortSignal ?? null;
      // A redirect is an answer: the session token in the headers goes to AWS alone.
      const response = await fetch(url, { method, headers, body: body ?? null, signal, redirect: "manual" });
      const bytes = await readBody(response, ANSWER_LIMIT);
      if (bytes === undefined) throw new AnswerTooLargeError();
      return { response: { statusCode: response.status, headers: Object.fromEntries(response.headers), body: bytes } };
    },
    updateHttpClientConfig() {
      // There is nothing to configure.
    },
    httpHandlerConfigs: () => ({}),
  };
}
