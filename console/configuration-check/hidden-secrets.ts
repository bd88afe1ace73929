import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { ConfigurationMessage } from "../../lib/config/messages.ts";
import { pathText, setValueAt } from "../../lib/config/path.ts";
import type { readYaml } from "../../lib/config/yaml/read.ts";
import { HIDDEN_SECRET } from "../../lib/deployment/changes.ts";
import { hiddenPlaces, NOT_KEPT } from "../../lib/deployment/kept-secrets.ts";
import { isJsonObject } from "../../lib/kernel/json.ts";
import { FILE, type Surroundings } from "./protocol.ts";

type Yaml = ReturnType<typeof readYaml>;

/** In the place of a secret that is not shown: it gets a stand-in as all other secrets do. */
const STAND_IN = "hidden.secret";

/**
 * A text in which a reference stands for each secret that stays as it is in use, so that it is checked as what will be published; and
 * what is wrong where there is no secret to keep.
 */
export function withReferences(
  yaml: Yaml,
  keeps: Surroundings["keeps"],
): { readonly yaml: Yaml; readonly errors: readonly ConfigurationMessage[] } {
  if (keeps === undefined || !isJsonObject(yaml.document)) return { yaml, errors: [] };
  const { kept, unknown } = hiddenPlaces(yaml, keeps);
  const document = structuredClone(yaml.document);
  const placeholders = kept.map(({ to }) => {
    setValueAt(document, to, null);
    return { path: to, parts: [{ secret: STAND_IN }], ...placeIn(yaml, pathText(to)) };
  });
  const errors = unknown.map((to) => {
    const path = pathText(to);
    return { file: FILE, ...placeIn(yaml, path), path, message: NOT_KEPT };
  });
  return { yaml: { ...yaml, document, placeholders: [...yaml.placeholders, ...placeholders] }, errors };
}

function placeIn({ positions }: Yaml, path: string) {
  const [line = 1, column = 1] = positions[path] ?? [];
  return { line, column };
}

/** As it is published: with the text that is shown in the place of these secrets. */
export function withoutReferences(artifact: ConfigurationArtifact): ConfigurationArtifact {
  const isStandIn = ({ parts }: ConfigurationArtifact["placeholders"][number]) =>
    parts.some((part) => "secret" in part && part.secret === STAND_IN);
  const kept = artifact.placeholders.filter(isStandIn);
  if (kept.length === 0) return artifact;
  const document = structuredClone(artifact.document);
  for (const { path } of kept) setValueAt(document, path, HIDDEN_SECRET);
  return { ...artifact, document, placeholders: artifact.placeholders.filter((one) => !isStandIn(one)) };
}
