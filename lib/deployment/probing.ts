import { readFields } from "../kernel/fields.ts";
import { isJsonObject } from "../kernel/json.ts";
import { ProblemError } from "../kernel/problem.ts";
import { isFramingHeader } from "../openapi/framing-headers.ts";
import { type DeploymentPorts, followedOf, refused } from "./administration.ts";

/** An MCP server as somebody names it who may add it to the configuration. */
export interface ServerAddress {
  readonly url: URL;
  readonly transport: "stream" | "sse";
  /** Values are secrets. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Why an address gave nothing of use. The message is for whoever asked: it quotes nothing that came from there, and no header. */
export class ProbeFailure extends Error {
  /** One of few words, for the record. */
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.name = "ProbeFailure";
    this.reason = reason;
  }
}

/** Milliseconds, from the first connection to the last byte. */
export const PROBE_LIMIT = 30_000;

/** For what was ended by its signal: the time was over, or whoever asked has left. */
export function givenUp(signal: AbortSignal, message: string): ProbeFailure {
  const isLate = signal.reason instanceof DOMException && signal.reason.name === "TimeoutError";
  return new ProbeFailure(isLate ? "timeout" : "cancelled", message);
}

/**
 * Begins to ask an address, where whoever asks may also publish a configuration that has the instance connect to it (D244).
 *
 * @returns ends it
 * @throws ProblemError `not_found`, `conflict`, `too_many_requests`
 */
export function beginProbe(ports: DeploymentPorts): () => void {
  const { settings, probes } = followedOf(ports);
  if (settings.signer === undefined)
    throw new ProblemError(
      "conflict",
      "Addresses are asked only where instances sign what owners publish: SVC_CONFIG_SIGNING=service with the source store:.",
    );
  const end = probes.begin();
  if (end === undefined)
    throw new ProblemError("too_many_requests", "Two addresses are being asked already. Try again in a moment.");
  return end;
}

/** The answer for whoever asked: `invalid_field`, at the address. */
export function probeProblem({ message }: ProbeFailure): ProblemError {
  return refused([message], "/url");
}

/**
 * @param input `{url}`
 * @throws ProblemError `invalid_body`, `invalid_field`
 */
export function readDocumentAddress(input: unknown): URL {
  const fields = readFields(input ?? {}, ["url"]);
  const url = addressField(fields);
  fields.finish();
  return url;
}

/**
 * @param input `{url, transport?, headers?}`
 * @throws ProblemError `invalid_body`, `invalid_field`
 */
export function readServerAddress(input: unknown): ServerAddress {
  const fields = readFields(input ?? {}, ["url", "transport", "headers"]);
  const url = addressField(fields);
  const { transport = "stream" } = fields.object;
  if (transport !== "stream" && transport !== "sse") fields.refuse("/transport", "must be stream or sse");
  const headers = headersField(fields);
  fields.finish();
  return { url, transport: transport === "sse" ? "sse" : "stream", headers };
}

type Fields = ReturnType<typeof readFields>;

/** Characters. */
const LONGEST_URL = 8_000;

function addressField(fields: Fields): URL {
  const { url } = fields.object;
  const parsed = typeof url === "string" && url.length <= LONGEST_URL ? URL.parse(url.trim()) : null;
  const fault = parsed === null ? "is not a URL; write it with https:// or http:// in front" : addressFault(parsed);
  if (parsed !== null && fault === undefined) return withoutFragment(parsed);
  fields.refuse("/url", fault ?? "");
  return new URL("https://invalid");
}

/** Undefined: it may be asked. */
export function addressFault({ protocol, username, password }: URL): string | undefined {
  if (protocol !== "https:" && protocol !== "http:") return "must begin with https:// or http://";
  return username === "" && password === "" ? undefined : "must hold no user name and no password";
}

function withoutFragment(url: URL): URL {
  url.hash = "";
  return url;
}

const MOST_HEADERS = 32;
/** Characters. */
const LONGEST_VALUE = 8_000;
/** RFC 9110 section 5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const PRINTABLE = /^[\x20-\x7e]*$/;

function headersField(fields: Fields): Readonly<Record<string, string>> {
  const { headers = {} } = fields.object;
  const entries = isJsonObject(headers) ? Object.entries(headers) : undefined;
  if (entries === undefined || entries.length > MOST_HEADERS) {
    fields.refuse("/headers", `must be an object of at most ${MOST_HEADERS} headers`);
    return {};
  }
  const names = entries.map(([name]) => name.toLowerCase());
  entries.forEach(([name, value], index) => {
    const fault = names.indexOf(name.toLowerCase()) < index ? "is there twice" : headerFault(name, value);
    if (fault !== undefined) fields.refuse(`/headers/${pointerOf(name)}`, fault);
  });
  return headers as Readonly<Record<string, string>>;
}

/** The rules that `upstream.headers` of the configuration has. */
function headerFault(name: string, value: unknown): string | undefined {
  if (!TOKEN.test(name)) return "is not the name of a header";
  if (isFramingHeader(name) || name.toLowerCase() === "last-event-id") return "is made by the service itself";
  if (typeof value !== "string" || value.length > LONGEST_VALUE) return `must be at most ${LONGEST_VALUE} characters`;
  return PRINTABLE.test(value) ? undefined : "must have letters, digits, spaces and signs of ASCII alone";
}

/** RFC 6901 section 3. */
function pointerOf(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1").slice(0, 200);
}
