/** Why no answer came. */
export interface NetworkFailure {
  /** In few words, for whoever waited: names no host, no address and no certificate. */
  readonly why?: string;
  /** For whoever runs the service: the code of what the system or the runtime reports, for example `ECONNREFUSED`, else the error's name. */
  readonly cause: string;
}

const REFUSED = "the connection was refused";
const UNKNOWN_NAME = "its host name was not found";
const NO_ROUTE = "there is no route to it";
const NO_CONNECTION = "no connection came about in time";
const CUT = "the connection was closed before the answer";

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: REFUSED,
  ENOTFOUND: UNKNOWN_NAME,
  EAI_AGAIN: UNKNOWN_NAME,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ETIMEDOUT: NO_CONNECTION,
  UND_ERR_CONNECT_TIMEOUT: NO_CONNECTION,
  ECONNRESET: CUT,
  EPIPE: CUT,
  UND_ERR_SOCKET: CUT,
};

/** OpenSSL's verdicts on certificates as Node names them, and the errors of its TLS. */
const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|INVALID_|PATH_LENGTH_|EPROTO$)/;

/** Errors that are looked at, each the cause of the one before. */
const DEEPEST = 5;

/** Reads what a failed `fetch` threw. Node has a code behind it; Workers have none. */
export function networkFailure(error: unknown): NetworkFailure {
  const code = failureCode(error);
  // Fetch standard, "port blocking": nothing is sent to ports of other protocols.
  if (code === undefined && isBadPort(error)) return { cause: "bad port", why: "fetch makes no requests to this port" };
  if (code === undefined) return { cause: error instanceof Error ? error.name : "unknown" };
  const why = Object.hasOwn(REASONS, code) ? REASONS[code] : TLS.test(code) ? "TLS could not be agreed on" : undefined;
  return { cause: code, ...(why !== undefined && { why }) };
}

/**
 * Whether a request whose `fetch` failed may have arrived, and so may have been carried out. It has not where the runtime says
 * that no connection came about; Workers say nothing of the kind.
 */
export function mayHaveArrived(error: unknown): boolean {
  const coded = codedError(error);
  if (coded === undefined) return !isBadPort(error);
  const { code, syscall } = coded;
  if (syscall !== undefined) return !CONNECTING.has(syscall);
  // Node names the host where a connection ends before TLS was agreed on.
  const isBeforeTls = code === "ECONNRESET" && "host" in coded;
  return !(isBeforeTls || NOT_CONNECTED.has(code) || TLS.test(code));
}

const CONNECTING: ReadonlySet<unknown> = new Set(["connect", "getaddrinfo"]);
/** `UND_ERR_ABORTED`: a proxy opened no tunnel. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_ABORTED",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_PRX_TLS",
]);

/** The code of the error behind a failed `fetch`; undefined where the runtime gives none. */
export function failureCode(error: unknown): string | undefined {
  return codedError(error)?.code;
}

interface CodedError extends Error {
  readonly code: string;
  readonly syscall?: unknown;
}

function codedError(error: unknown, depth = 1): CodedError | undefined {
  if (!(error instanceof Error) || depth > DEEPEST) return undefined;
  if (isCoded(error)) return error;
  return (
    codedError(error.cause, depth + 1) ??
    (error instanceof AggregateError ? codedError(error.errors[0], depth + 1) : undefined)
  );
}

function isCoded(error: Error): error is CodedError {
  return "code" in error && typeof error.code === "string" && /^[A-Z][A-Z0-9_]{0,63}$/.test(error.code);
}

function isBadPort(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message === "bad port";
}
