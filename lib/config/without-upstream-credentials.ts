import type { ConfigurationArtifact } from "./artifact.ts";
import { type Path, setValueAt, valueAt } from "./path.ts";

/** Keys of `upstream` that hold what calls carry. */
const CARRIED = ["auth", "headers"];

/** The artifact for work that calls no API: without what calls carry, so that none of its secrets has to be there. */
export function withoutUpstreamCredentials(artifact: ConfigurationArtifact): ConfigurationArtifact {
  const document = structuredClone(artifact.document);
  const apps = valueAt(document, ["apps"]);
  for (const app of Array.isArray(apps) ? apps : []) {
    for (const key of CARRIED) {
      if (valueAt(app, ["upstream", key]) !== undefined) setValueAt(app, ["upstream", key], undefined);
    }
  }
  return { ...artifact, document, placeholders: artifact.placeholders.filter(({ path }) => !isCarried(path)) };
}

function isCarried([section, , upstream, key]: Path): boolean {
  return section === "apps" && upstream === "upstream" && CARRIED.includes(String(key));
}
