import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { valueAt } from "../../lib/config/path.ts";
import { artifactInUse } from "../configuration-check/compiled-in-use.ts";
import { decidingVariables } from "./configurations.ts";
import type { Both, Loaded, TrialSubject } from "./protocol.ts";

/** Both artifacts, and what can be chosen from. */
export interface LoadedSubject {
  readonly artifacts: Both<ConfigurationArtifact>;
  readonly about: Loaded;
}

export function load({ draft: given, inUse: shown }: TrialSubject): LoadedSubject {
  const draft = given as ConfigurationArtifact;
  const inUse = shown && artifactInUse(shown);
  const variables = [draft, inUse].flatMap((artifact) => (artifact === undefined ? [] : decidingVariables(artifact)));
  const tools = Object.values(draft.catalogs).flatMap((catalog) => catalog.tools.map(({ name }) => name));
  return {
    artifacts: { draft, inUse },
    about: { tools, servers: serversOf(draft), variables: [...new Set(variables)].toSorted() },
  };
}

function serversOf({ document }: ConfigurationArtifact): readonly string[] {
  const apps = valueAt(document, ["apps"]);
  const proxies = (Array.isArray(apps) ? apps : []).filter((app) => valueAt(app, ["type"]) === "mcpProxy");
  return proxies.map((app) => String(valueAt(app, ["name"])));
}
