import { exposedName } from "../../bridge/names.ts";

/** What of an app decides on the names that agents see. */
export interface Naming {
  /** Of the app. */
  readonly name: string;
  /** In front of names; empty: they and resource URIs stay as they are. */
  readonly namespace: string;
}

/** The name of an upstream's tool or prompt as agents see it: `[A-Za-z0-9_-]{1,64}`, with an empty namespace whatever it is. */
export async function exposed(namespace: string, upstreamName: string): Promise<string> {
  return namespace === "" ? upstreamName : exposedName(namespace + upstreamName);
}

/**
 * The upstream's name for one that an agent sent, where that takes no list of the upstream. Undefined where the name does not
 * belong to the namespace, and where it was cut or could have been: only a list knows what it stands for.
 */
export async function ownName(namespace: string, name: string): Promise<string | undefined> {
  if (!name.startsWith(namespace)) return undefined;
  const own = name.slice(namespace.length);
  return own !== "" && (await exposed(namespace, own)) === name ? own : undefined;
}
