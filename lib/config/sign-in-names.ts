import { isOwnConnector, type ProviderAddress } from "../oauth/features.ts";
import { type Path, valueAt } from "./path.ts";

const DISCOVERY = ["oidcProvider", "discovery"] as const;

/** What a plain document tells before it is assembled, as assembly takes it. */
export interface KnownSignIn {
  /** Names of the connectors that people can sign in at. */
  readonly names: readonly string[];
  /** Whether a placeholder may still change them. */
  readonly isOpen: boolean;
}

/** The connectors of a plain document but for those at this very instance. */
export function knownSignIn(
  document: unknown,
  publicURL: unknown = valueAt(document, ["http", "publicURL"]),
): KnownSignIn {
  const provider = providerAddress(document, publicURL);
  const connectors = valueAt(document, ["connectors"]);
  const names: string[] = [];
  let isOpen = provider === undefined;
  for (const connector of Array.isArray(connectors) ? connectors : []) {
    const [name, wellKnownURL] = [valueAt(connector, ["name"]), valueAt(connector, ["oidcWellKnownURL"])];
    if (name === null || wellKnownURL === null) isOpen = true;
    if (typeof name !== "string" || typeof wellKnownURL !== "string" || !URL.canParse(wellKnownURL)) continue;
    if (!isOwnConnector({ wellKnownURL }, provider)) names.push(name);
  }
  return { names, isOpen };
}

/** Undefined while it is not known. */
function providerAddress(document: unknown, publicURL: unknown): ProviderAddress | undefined {
  const issuer = textAt(document, [...DISCOVERY, "issuer"]) ?? origin(publicURL);
  const wellKnown = textAt(document, [...DISCOVERY, "endpoints", "wellKnown"]);
  return issuer === undefined ? undefined : { issuer, endpoints: { wellKnown: wellKnown ?? "" } };
}

function textAt(document: unknown, path: Path): string | undefined {
  const value = valueAt(document, path);
  return typeof value === "string" ? value : undefined;
}

function origin(url: unknown): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : undefined;
}
