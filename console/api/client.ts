import { ApiProblem } from "./problem.ts";
import { readProblem } from "./read-problem.ts";
import { type Answer, type ApiRequest, address } from "./request.ts";
import type { SignInNeed } from "./session-gate.ts";

const TIMEOUT = 20_000;
const DOWNLOAD_TIMEOUT = 300_000;

export interface ApiClientOptions {
  /** The organization that requests are about; undefined leaves the choice to the server. */
  readonly organization: () => string | undefined;
  /** Called when a request needs another session; resolves once there is one, rejects when the person gives up. */
  readonly signInAgain: (need: SignInNeed) => Promise<void>;
}

/** The management API, as the signed-in person. Whatever goes wrong is thrown as an `ApiProblem`. */
export interface ApiClient {
  send<Body = undefined>(request: ApiRequest): Promise<Answer<Body>>;
  /** The answer as a file, for downloads in other media types. */
  download(request: ApiRequest): Promise<Blob>;
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  return {
    send: async <Body>(request: ApiRequest) => {
      const response = await fetchWithSession(request, options);
      return {
        body: (response.status === 204 ? undefined : await response.json()) as Body,
        etag: response.headers.get("ETag") ?? undefined,
        status: response.status,
      };
    },
    download: async (request) => {
      const response = await fetchWithSession({ timeout: DOWNLOAD_TIMEOUT, ...request }, options);
      return response.blob();
    },
  };
}

/** A request that needs another session waits until the person has signed in again, and is then sent once more. */
async function fetchWithSession(request: ApiRequest, options: ApiClientOptions): Promise<Response> {
  const first = await fetchAnswer(request, options);
  if (first.ok) return first;
  const problem = await readProblem(first);
  const need = request.isPublic ? undefined : needOf(problem);
  if (need === undefined) throw problem;
  await options.signInAgain(need);
  const second = await fetchAnswer(request, options);
  if (!second.ok) throw await readProblem(second);
  return second;
}

function needOf({ status, code }: ApiProblem): SignInNeed | undefined {
  if (status === 401) return "session";
  return code === "recent_sign_in_required" ? "recent_sign_in" : undefined;
}

async function fetchAnswer(request: ApiRequest, { organization }: ApiClientOptions): Promise<Response> {
  const { method = "GET", body, signal, timeout = TIMEOUT } = request;
  const expiry = AbortSignal.timeout(timeout);
  try {
    return await fetch(address(request), {
      method,
      headers: headersOf(request, organization()),
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal === undefined ? expiry : AbortSignal.any([signal, expiry]),
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw expiry.aborted ? timedOut(timeout, method) : unreachable(error);
  }
}

function headersOf({ accept, body, ifMatch, isPublic }: ApiRequest, organization: string | undefined): Headers {
  const headers = new Headers({ Accept: accept ?? "application/json" });
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (ifMatch !== undefined) headers.set("If-Match", ifMatch);
  if (organization !== undefined && !isPublic) headers.set("Countersign-Organization", organization);
  return headers;
}

function timedOut(timeout: number, method: string): ApiProblem {
  const advice = method === "GET" ? "Try again." : "Check whether the change was made before you try again.";
  const detail = `The server did not answer within ${timeout / 1000} seconds. ${advice}`;
  return new ApiProblem({ status: 0, code: "timeout", title: "No answer", detail });
}

function unreachable(cause: unknown): ApiProblem {
  const detail = "The server cannot be reached. Check your network connection and try again.";
  return new ApiProblem({ status: 0, code: "network", title: "No connection", detail }, cause);
}
