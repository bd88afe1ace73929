import type { ConfigurationArtifact } from "../artifact.ts";
import { type Path, pathText, setValueAt, valueAt } from "../path.ts";
import { GATEWAY_SETTINGS, type SettingValues } from "./settings.ts";

/**
 * The artifact with such values in the place of what its YAML document has there, placeholders included, so that the same
 * schema and the same rules judge them (D130).
 * @param publicURL of the document as it is: with settings it must not be derived from something else
 */
export function overlaid(
  artifact: ConfigurationArtifact,
  values: SettingValues,
  publicURL: string,
): ConfigurationArtifact {
  const document = structuredClone(artifact.document);
  const replaced = new Set<string>();
  for (const { name, path, alias } of GATEWAY_SETTINGS) {
    if (values[name] === undefined) continue;
    put(document, path, values[name]);
    replaced.add(pathText(path));
    if (alias === undefined) continue;
    remove(document, alias);
    replaced.add(pathText(alias));
  }
  if (valueAt(document, PUBLIC_URL) === undefined) put(document, PUBLIC_URL, publicURL);
  const placeholders = artifact.placeholders.filter(({ path }) => !replaced.has(pathText(path)));
  return { ...artifact, document, placeholders };
}

const PUBLIC_URL: Path = ["http", "publicURL"];

/** Sets the value at a place, and makes the mappings around it that are not there. */
function put(document: unknown, path: Path, value: unknown): void {
  for (let length = 1; length < path.length; length++) {
    const around = path.slice(0, length);
    if (valueAt(document, around) === undefined) setValueAt(document, around, {});
  }
  setValueAt(document, path, value);
}

function remove(document: unknown, path: Path): void {
  const parent = valueAt(document, path.slice(0, -1));
  const key = path.at(-1);
  if (typeof parent === "object" && parent !== null && key !== undefined) Reflect.deleteProperty(parent, key);
}
