import type { Configuration } from "../config/configuration.ts";
import type { DeploymentRecord } from "../stores/deployments.ts";
import type { Publication } from "./bundle.ts";

/** The instance that is to take a publication over. */
export interface Terms {
  readonly deployment: string;
  /** Of its authorization server; absent: it has none. */
  readonly region?: string | undefined;
  /** The product's release, `major.minor.patch`. */
  readonly version: string;
  /** The highest revision that was taken over in this deployment; 0: none. */
  readonly highest: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Why an instance does not take a publication over, though a known key has signed it; undefined: it may. What its configuration says
 * is not looked at. The text goes on "The bundle …".
 */
export function objectionTo(publication: Publication, terms: Terms): string | undefined {
  const { deployment, region, revision, expiresAt, minimumVersion } = publication;
  if (deployment !== terms.deployment)
    return `is for the deployment ${JSON.stringify(deployment)}; this is ${JSON.stringify(terms.deployment)}`;
  if (region !== terms.region) return `is for ${regionText(region)}; this instance has ${regionText(terms.region)}`;
  if (minimumVersion !== undefined && isOlder(terms.version, minimumVersion))
    return `needs release ${minimumVersion} or a later one; this is ${terms.version}`;
  // A rollback is a publication, too: it has a revision of its own.
  if (revision <= terms.highest) return notHigher(revision, terms.highest);
  if (revision > terms.highest + LARGEST_STEP) return tooHigh(revision, terms.highest);
  if (expiresAt !== undefined && Date.parse(expiresAt) <= terms.now) return `has expired at ${expiresAt}`;
  return undefined;
}

/** One mistaken number must not be the last that there is: none is higher than 2^53. */
const LARGEST_STEP = 1_000_000_000;

/** Goes on "The bundle …". */
function tooHigh(revision: number, highest: number): string {
  return `has revision ${revision}; after ${highest}, revisions up to ${highest + LARGEST_STEP} are accepted`;
}

/**
 * Why no instance of a store takes a publication over, whatever it was started with; undefined: they may. The text goes on "The
 * bundle …".
 */
export function objectionOfRecord(
  { revision, digest, deployment, region }: Publication,
  { highest, inUse }: DeploymentRecord,
): string | undefined {
  if (inUse !== undefined && deployment !== inUse.deployment)
    return `is for the deployment ${JSON.stringify(deployment)}; this store is of ${JSON.stringify(inUse.deployment)}`;
  if (inUse !== undefined && region !== inUse.region)
    return `is for ${regionText(region)}; this store is of ${regionText(inUse.region)}`;
  if (revision < highest) return notHigher(revision, highest);
  if (revision === highest && digest !== inUse?.digest)
    return `has other contents than revision ${revision} that is in use`;
  return revision > highest + LARGEST_STEP ? tooHigh(revision, highest) : undefined;
}

/** Goes on "The bundle …". */
export function notHigher(revision: number, highest: number): string {
  return `has revision ${revision}; revision ${highest} was in use already, and only a higher one follows it`;
}

function regionText(region: string | undefined): string {
  return region === undefined ? "no region" : `the region ${JSON.stringify(region)}`;
}

function isOlder(version: string, minimum: string): boolean {
  const [one, other] = [version, minimum].map((text) => text.split("-")[0]?.split(".").map(Number) ?? []);
  for (const index of [0, 1, 2]) {
    const difference = (one?.[index] ?? 0) - (other?.[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** What an instance is built of once, by the name that messages use. */
const AT_START: Readonly<Record<string, (configuration: Configuration) => unknown>> = {
  "http.address": ({ http }) => [http.host, http.port],
  "http.workers": ({ http }) => http.workers,
  "http.trustedProxies": ({ http }) => http.trustedProxies,
  "http.tls or http.hosts": ({ http }) => [http.tls, http.hosts],
  "http.publicURL": ({ publicURL }) => publicURL,
  tls: ({ tls }) => tls,
  store: ({ store }) => store,
  logger: ({ logger }) => logger,
  telemetry: ({ telemetry }) => telemetry,
  "audit.retention": ({ auditRetention }) => auditRetention,
  "oidcProvider.discovery.issuer": ({ oidcProvider }) => oidcProvider?.issuer,
  "oidcProvider.region": ({ oidcProvider }) => oidcProvider?.region,
  "oidcProvider.apiClients.idSecret": ({ oidcProvider }) => oidcProvider?.apiClients.idSecret,
  "oidcProvider.keySecret": ({ oidcProvider }) => oidcProvider?.keySecret,
  // On Node the key ring and people's sessions are made of what the process started with.
  "oidcProvider.jwks": ({ oidcProvider }) => oidcProvider && [oidcProvider.publicKeys, oidcProvider.signingKeys],
  session: ({ session }) => session,
  "mcpProvider.stateSecret": ({ stateSecret }) => stateSecret,
  "mcpProvider (with it or without)": ({ mcpProvider }) => mcpProvider !== undefined,
};

/** The keys that differ from what a running instance was built of: they take a restart. */
export function restartKeys(running: Configuration, next: Configuration): readonly string[] {
  const differs = (value: (configuration: Configuration) => unknown) =>
    JSON.stringify(value(running)) !== JSON.stringify(value(next));
  return Object.keys(AT_START).filter((name) => differs(AT_START[name] as (configuration: Configuration) => unknown));
}
