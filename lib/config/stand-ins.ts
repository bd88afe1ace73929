import type { ConfigurationArtifact } from "./artifact.ts";
import { type Path, setValueAt } from "./path.ts";

/** Fits every place below: 32 bytes as base64url, the value of a header, long enough for a secret. */
const STAND_IN = "A".repeat(43);

/** Places whose text is looked at by nothing that is checked at start, with all below them; `*` is every entry. */
const UNCOMPARED: readonly Path[] = [
  ["apps", "*", "credentials", "secrets"],
  ["apps", "*", "upstream", "auth"],
  ["apps", "*", "upstream", "headers"],
  ["caches"],
  ["connectors", "*", "oauthClientSecret"],
  ["console", "setupToken"],
  ["mcpProvider", "authorization", "oauth", "servers", "*", "tokenValidation", "introspection", "clientSecret"],
  ["mcpProvider", "stateSecret"],
  ["oidcProvider", "apiClients", "idSecret"],
  ["oidcProvider", "keySecret"],
  ["store", "path"],
  ["telemetry", "metrics", "readers", "*", "*", "exporter", "otlp", "headers"],
  ["telemetry", "traces", "processors", "*", "*", "exporter", "otlp", "headers"],
];

/**
 * The artifact with other text in the place of its secrets, so that the whole can be checked before they are there; undefined
 * where a placeholder stands for something that decides. It is for checking alone.
 */
export function withStandIns(artifact: ConfigurationArtifact): ConfigurationArtifact | undefined {
  const { placeholders } = artifact;
  if (!placeholders.every(({ path }) => UNCOMPARED.some((pattern) => isBelow(path, pattern)))) return undefined;
  const document = structuredClone(artifact.document);
  for (const { path } of placeholders) setValueAt(document, path, STAND_IN);
  return { ...artifact, document, placeholders: [] };
}

function isBelow(path: Path, pattern: Path): boolean {
  return path.length >= pattern.length && pattern.every((step, index) => step === "*" || step === path[index]);
}
