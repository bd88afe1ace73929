import type { Catalog } from "../openapi/catalog.ts";
import type { PublishedConfiguration } from "./configuration.ts";
import { type Path, pathText, setValueAt, valueAt } from "./path.ts";
import type { AppPolicies } from "./policy-plans.ts";

/**
 * The compiled configuration: what `countersign compile` writes for the edge and what Node keeps in memory. Everything
 * that needs the files is done; environment and secrets are filled in at run time.
 */
export interface ConfigurationArtifact {
  readonly format: 1;
  /** Name of the YAML file, or of the folder of such, for messages. */
  readonly source: string;
  /** The document as plain data, with null where a placeholder stands. Inline OpenAPI texts are left out. */
  readonly document: unknown;
  readonly placeholders: readonly Placeholder[];
  /** Line and column of each value, by path text; of several files, also which of them. */
  readonly positions: Readonly<Record<string, readonly [line: number, column: number, part?: number]>>;
  /** Names of the files where `source` is a folder. */
  readonly parts?: readonly string[];
  /** By app name. */
  readonly catalogs: Readonly<Record<string, Catalog>>;
  /** Policies in Rego as plans, by app name; absent: no app has one. */
  readonly policies?: Readonly<Record<string, AppPolicies>>;
  /** Set by whoever opened the bundle that it came in; never part of a file. */
  readonly published?: PublishedConfiguration | undefined;
}

/** A scalar that is put together at run time. */
export interface Placeholder {
  readonly path: Path;
  readonly parts: readonly PlaceholderPart[];
  readonly line: number;
  readonly column: number;
}

export type PlaceholderPart = { readonly text: string } | { readonly env: string } | { readonly secret: string };

/** How each placeholder is written in the document, by path text; values are never shown. */
export function writtenPlaceholders(placeholders: readonly Placeholder[]): ReadonlyMap<string, string> {
  return new Map(placeholders.map((placeholder) => [pathText(placeholder.path), placeholderText(placeholder)]));
}

function placeholderText(placeholder: Placeholder): string {
  return placeholder.parts
    .map((part) => ("text" in part ? part.text : "env" in part ? `{{ env.${part.env} }}` : `<${part.secret}>`))
    .join("");
}

/** Places that change nothing, with all below them (`warnings/without-effect.ts`). */
const INERT: readonly Path[] = [
  ["caches"],
  ["session", "store"],
  ["oidcProvider", "cache"],
  ["oidcProvider", "correlateSession"],
  ["features"],
  ...["read", "write", "idle", "endpoint"].map((what) => ["http", `${what}TimeoutSeconds`]),
];

/**
 * The placeholders that have to be filled. Others stand in keys without effect: there the document keeps how they are written, so
 * that none of their secrets has to be there.
 */
export function placeholdersInEffect(document: unknown, placeholders: readonly Placeholder[]): readonly Placeholder[] {
  return placeholders.filter((placeholder) => {
    const { path } = placeholder;
    if (!INERT.some((pattern) => isBelow(path, pattern))) return true;
    setValueAt(document, path, placeholderText(placeholder));
    return false;
  });
}

/** Fits every place below but those of webhooks: 32 bytes as base64url, the value of a header, long enough for a secret. */
const STAND_IN = "A".repeat(43);
const OF_WEBHOOKS: readonly (readonly [pattern: Path, standIn: string])[] = [
  [["webhooks", "*", "secrets"], `whsec_${"A".repeat(32)}`],
  [["webhooks", "*", "url"], "https://webhook.example"],
];

/** Places whose text is looked at by nothing that is checked at start, with all below them; `*` is every entry. */
const UNCOMPARED: readonly Path[] = [
  ["apps", "*", "authorization", "inbound", "authzen", "token"],
  ["apps", "*", "authorization", "inbound", "rules", "*", "authzen", "token"],
  ["apps", "*", "credentials", "secrets"],
  ["apps", "*", "policies", "*", "authorization", "authzen", "token"],
  ["apps", "*", "upstream", "auth"],
  ["apps", "*", "upstream", "headers"],
  ["apps", "*", "headers", "*", "value"],
  ["connectors", "*", "oauthClientSecret"],
  ["console", "setupToken"],
  ["email", "smtp", "password"],
  ["email", "http", "apiKey"],
  ["mcpProvider", "authorization", "oauth", "servers", "*", "tokenValidation", "introspection", "clientSecret"],
  ["mcpProvider", "stateSecret"],
  ["oidcProvider", "apiClients", "idSecret"],
  ["oidcProvider", "keySecret"],
  ["signals", "*", "token"],
  ["store", "path"],
  ["telemetry", "metrics", "readers", "*", "*", "exporter", "otlp", "headers"],
  ["telemetry", "traces", "processors", "*", "*", "exporter", "otlp", "headers"],
  ["vault", "keys"],
  ...OF_WEBHOOKS.map(([pattern]) => pattern),
];

/**
 * The artifact with other text in the place of its secrets, so that the whole can be checked before they are there; undefined
 * where a placeholder stands for something that decides. It is for checking alone.
 */
export function withStandIns(artifact: ConfigurationArtifact): ConfigurationArtifact | undefined {
  const whole = withSomeStandIns(artifact);
  return whole.placeholders.length === 0 ? whole : undefined;
}

/** The same where placeholders stand for something that decides: these are left, for whoever knows what they stand for. */
export function withSomeStandIns(artifact: ConfigurationArtifact): ConfigurationArtifact {
  const document = structuredClone(artifact.document);
  const placeholders = artifact.placeholders.filter(({ path }) => {
    if (!UNCOMPARED.some((pattern) => isBelow(path, pattern))) return true;
    setValueAt(document, path, standInAt(path));
    return false;
  });
  return { ...artifact, document, placeholders };
}

function standInAt(path: Path): string {
  return OF_WEBHOOKS.find(([pattern]) => isBelow(path, pattern))?.[1] ?? STAND_IN;
}

function isBelow(path: Path, pattern: Path): boolean {
  return path.length >= pattern.length && pattern.every((step, index) => step === "*" || step === path[index]);
}

/** Keys of an app that hold what calls carry; of a web app the last. */
const CARRIED: readonly Path[] = [["upstream", "auth"], ["upstream", "headers"], ["headers"]];

/** The artifact for work that calls no API: without what calls carry, so that none of its secrets has to be there. */
export function withoutUpstreamCredentials(artifact: ConfigurationArtifact): ConfigurationArtifact {
  const document = structuredClone(artifact.document);
  const apps = valueAt(document, ["apps"]);
  for (const app of Array.isArray(apps) ? apps : []) {
    for (const key of CARRIED) {
      if (valueAt(app, key) !== undefined) setValueAt(app, key, undefined);
    }
  }
  return { ...artifact, document, placeholders: artifact.placeholders.filter(({ path }) => !isCarried(path)) };
}

function isCarried(path: Path): boolean {
  return CARRIED.some((key) => isBelow(path, ["apps", "*", ...key]));
}
