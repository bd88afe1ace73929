import { stringify } from "yaml";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { readYaml } from "../../lib/config/yaml/read.ts";
import { configurationChanges } from "../../lib/deployment/changes.ts";
import { hazardsOf } from "../../lib/deployment/guards.ts";
import { withoutReferences } from "./hidden-secrets.ts";
import { FILE, type Prepared } from "./protocol.ts";

/** YAML of a plain document, with placeholders as they are written. */
export function render(document: unknown): string {
  return stringify(document, { lineWidth: 0 });
}

/**
 * What an artifact changes in a document that is in use, and what it takes away. Tools are not compared: those in use are with
 * the instance alone.
 */
export function prepare(tryable: ConfigurationArtifact, inUse: unknown): Prepared {
  const artifact = withoutReferences(tryable);
  const before = inUse === undefined ? undefined : readYaml(render(inUse), FILE);
  if (before?.document === undefined) return { changes: [], hazards: [], artifact, tryable };
  const { document, placeholders, positions } = before;
  const former: ConfigurationArtifact = { format: 1, source: FILE, document, placeholders, positions, catalogs: {} };
  const { policies, ...latter } = artifact;
  return {
    changes: configurationChanges(former, { ...latter, catalogs: {} }),
    hazards: hazardsOf(document, artifact.document),
    artifact,
    tryable,
  };
}
