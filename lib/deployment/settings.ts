import { parseDuration } from "../config/duration.ts";
import { BundleError, type PublisherKeys, readPublisherKeys, type SigningKey } from "./bundle.ts";
import { DeploymentError } from "./source.ts";

/** How an instance takes published configurations over: settings of the instance itself, from its environment. */
export interface DeploymentSettings {
  /** Where the bundle is. */
  readonly source: URL;
  readonly keys: PublisherKeys;
  /** Whether instances sign what people publish at the Console (D241); absent: operators alone sign. */
  readonly signing?: "service";
  /** With which they do, once it was read from the store (`withServiceKey`). */
  readonly signer?: { readonly kid: string; readonly key: SigningKey };
  /** How many people it takes to publish what instances sign (D246); absent: one. */
  readonly approvals?: 2;
  /** Name of the deployment, which bundles have to name, too. */
  readonly deployment: string;
  /** Region of the instance, which bundles have to name; absent: that of its configuration and of its store. */
  readonly region?: string;
  /** Bytes of a bundle, also when it is unpacked. */
  readonly limit: number;
  /** Whether the source is looked at again after the start. */
  readonly reload: boolean;
  /** Between two looks, milliseconds. */
  readonly interval: number;
  /** What is served while nothing was published: the configuration that the instance was built or started with. Else: nothing. */
  readonly fallback: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Schemes of places that have an API of their own (`hosted-source.ts`). */
export const HOSTED_SCHEMES = ["azblob", "github", "gitlab", "gs", "s3"] as const;
export type HostedScheme = (typeof HOSTED_SCHEMES)[number];

export function isHosted({ protocol }: URL): boolean {
  return HOSTED_SCHEMES.some((scheme) => protocol === `${scheme}:`);
}

/** Schemes of sources by how they are read. */
type SourceScheme = "file" | "https" | "http" | "store" | HostedScheme;

/** What the runtime of an instance has. */
export interface RuntimeOfInstance {
  readonly schemes: readonly SourceScheme[];
  /** Bytes of a bundle that it has the memory for. */
  readonly limit: number;
  /** The text of a file that `@path` names; absent: there are no files. */
  readonly readFile?: (path: string) => Promise<string>;
}

const SHORTEST_INTERVAL = 5_000;
const DEFAULT_INTERVAL = 30_000;

/**
 * Reads SVC_CONFIG_SOURCE and the variables beside it; undefined where it is not set: then none of them counts.
 *
 * @throws {DeploymentError} that names the variable and what it accepts
 */
export async function readDeploymentSettings(
  environment: Environment,
  { schemes, limit, readFile }: RuntimeOfInstance,
): Promise<DeploymentSettings | undefined> {
  const { SVC_CONFIG_SOURCE, SVC_CONFIG_DEPLOYMENT = "", SVC_CONFIG_FALLBACK = "", SVC_CONFIG_REGION } = environment;
  if (!SVC_CONFIG_SOURCE) return undefined;
  const source = sourceUrl(SVC_CONFIG_SOURCE, schemes);
  if (!/^[\w.-]{1,100}$/.test(SVC_CONFIG_DEPLOYMENT)) throw wrong("SVC_CONFIG_DEPLOYMENT", SVC_CONFIG_DEPLOYMENT, NAME);
  if (!["", "builtin"].includes(SVC_CONFIG_FALLBACK))
    throw wrong("SVC_CONFIG_FALLBACK", SVC_CONFIG_FALLBACK, "builtin, or nothing");
  const signing = signingOf(environment.SVC_CONFIG_SIGNING, source);
  const approvals = approvalsOf(environment.SVC_CONFIG_APPROVALS, signing);
  const isWithoutKeys = signing === "service" && !environment.SVC_CONFIG_KEYS;
  return {
    source,
    ...(signing === "service" && { signing }),
    ...(approvals === 2 && { approvals }),
    deployment: SVC_CONFIG_DEPLOYMENT,
    ...(SVC_CONFIG_REGION && { region: SVC_CONFIG_REGION }),
    limit,
    keys: isWithoutKeys ? new Map() : await publisherKeys(environment.SVC_CONFIG_KEYS ?? "", readFile),
    reload: flag(environment, "SVC_CONFIG_RELOAD", true),
    interval: interval(environment.SVC_CONFIG_INTERVAL),
    // Nobody could publish into the store of an instance that serves nothing.
    fallback: SVC_CONFIG_FALLBACK === "builtin" || source.protocol === "store:",
  };
}

/** A setting of the instance, and no key of the configuration: whoever publishes cannot change whom instances believe. */
function signingOf(value: string | undefined, source: URL): "operator" | "service" {
  if (!value || value === "operator") return "operator";
  if (value !== "service") throw wrong("SVC_CONFIG_SIGNING", value, "operator or service");
  if (source.protocol !== "store:")
    throw new DeploymentError(
      "SVC_CONFIG_SIGNING: service is for SVC_CONFIG_SOURCE=store: alone; elsewhere operators sign.",
    );
  return value;
}

/** Of the instance as well: whoever publishes cannot do away with who has to approve it. */
function approvalsOf(value = "", signing: "operator" | "service"): 1 | 2 {
  if (!["", "1", "2"].includes(value)) throw wrong("SVC_CONFIG_APPROVALS", value, "1 or 2");
  if (value === "2" && signing !== "service")
    throw new DeploymentError(
      "SVC_CONFIG_APPROVALS: 2 is for SVC_CONFIG_SIGNING=service alone; elsewhere operators sign, and nobody approves here.",
    );
  return value === "2" ? 2 : 1;
}

function sourceUrl(text: string, schemes: readonly SourceScheme[]): URL {
  const accepted = schemes
    .filter((scheme) => scheme !== "http")
    .map((scheme) => (scheme === "store" ? "store:" : `${scheme}://…`));
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const scheme = url?.protocol.slice(0, -1);
  // What is fetched is signed; http is for the same machine, where nobody sees the credentials of a URL.
  const isPlain = scheme === "http" && !["localhost", "127.0.0.1", "[::1]"].includes(url?.hostname ?? "");
  if (url === undefined || !isDecodable(url) || !schemes.some((one) => one === scheme) || isPlain) {
    // A URL may hold credentials.
    throw new DeploymentError(
      `SVC_CONFIG_SOURCE is no source of this runtime; accepted: ${accepted.join(", ")}, and http://… on the same machine.`,
    );
  }
  return url;
}

/** Userinfo may hold percent signs that encode nothing. */
function isDecodable({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password).isWellFormed();
  } catch {
    return false;
  }
}

async function publisherKeys(
  value: string,
  readFile: ((path: string) => Promise<string>) | undefined,
): Promise<PublisherKeys> {
  const accepted = `the public keys of publishers as PEM or a JWK Set${readFile === undefined ? "" : ", or @FILE"}`;
  if (value === "") throw new DeploymentError(`SVC_CONFIG_KEYS is not set; accepted: ${accepted}.`);
  try {
    const isFile = value.startsWith("@") && readFile !== undefined;
    return await readPublisherKeys(isFile ? await readFile(value.slice(1)) : value);
  } catch (cause) {
    if (!(cause instanceof BundleError)) throw cause;
    throw new DeploymentError(`SVC_CONFIG_KEYS ${cause.message}.`, { cause });
  }
}

function flag(environment: Environment, name: string, fallback: boolean): boolean {
  const value = environment[name] ?? "";
  if (value === "") return fallback;
  if (value !== "true" && value !== "false") throw wrong(name, value, "true or false");
  return value === "true";
}

function interval(value = ""): number {
  if (value === "") return DEFAULT_INTERVAL;
  const duration = parseDuration(value);
  if (duration === undefined || duration < SHORTEST_INTERVAL || duration > 86_400_000)
    throw wrong("SVC_CONFIG_INTERVAL", value, "a duration between 5s and 24h, such as 30s");
  return duration;
}

/** Of a deployment. */
const NAME = "a name of your choice, with letters, digits, dots, hyphens and underscores";

function wrong(name: string, value: string, accepted: string): DeploymentError {
  if (value === "") return new DeploymentError(`${name} is not set; accepted: ${accepted}.`);
  return new DeploymentError(`${name}: found ${JSON.stringify(value.slice(0, 100))}; accepted: ${accepted}.`);
}
