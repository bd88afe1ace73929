import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";

/** How many ports a start has: Countersign's, and right above it those of the samples. */
const PORTS = 5;

/**
 * What was published at another start, with the addresses of this one: the ports, the interface and the store. The very same where
 * nothing of them differs.
 *
 * @param example the configuration of the example, for this start
 */
export function atThisStart(published: ConfigurationArtifact, example: ConfigurationArtifact): ConfigurationArtifact {
  const [from, to] = [portOf(published.document), portOf(example.document)];
  if (from === undefined || to === undefined) return published;
  const { published: mark, ...artifact } = published;
  const former = JSON.stringify(artifact);
  const moved = JSON.parse(withPorts(former, from, to)) as ConfigurationArtifact;
  const next = { ...moved, document: withAddresses(moved.document, example.document) };
  return JSON.stringify(next) === former ? published : next;
}

/** All at once: a port that was put in may be another's former one. */
function withPorts(text: string, from: number, to: number): string {
  return text.replaceAll(/(?<=\blocalhost:)\d+\b/g, (port) => {
    const offset = Number(port) - from;
    return offset >= 0 && offset < PORTS ? String(to + offset) : port;
  });
}

function withAddresses(document: unknown, example: unknown): JsonObject {
  const [given, own] = [objectOf(document), objectOf(example)];
  const [http, ownHttp] = [objectOf(given.http), objectOf(own.http)];
  const publicURL = http.publicURL ?? ownHttp.publicURL;
  return {
    ...given,
    http: { ...http, address: ownHttp.address, ...(publicURL !== undefined && { publicURL }) },
    store: own.store,
  };
}

function portOf(document: unknown): number | undefined {
  const { address } = objectOf(objectOf(document).http);
  const port = typeof address === "string" ? /:(\d+)$/.exec(address)?.[1] : undefined;
  return port === undefined ? undefined : Number(port);
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
