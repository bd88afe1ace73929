import type { Dependencies } from "../../lib/dependencies.ts";
import { createOrganizationOf } from "../../lib/gateway/organization.ts";
import { createToolIndex, type LocatedTool } from "../../lib/gateway/tool-index.ts";
import type { Endpoint } from "../env.ts";
import { authenticateCaller } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";

/** GET: the tools of the organization's apps, and the operations that are none. `Need`: member, or `tools:read`. */
export const listTools: Endpoint = (dependencies) => {
  const { apps } = dependencies.configuration().configuration;
  const located = [...createToolIndex(apps).values()];
  const organizationOf = createOrganizationOf(dependencies);
  return async (c) => {
    const { organizationId } = await authenticateCaller(dependencies, c, { role: "member", scope: "tools:read" });
    const own = new Set<string>();
    for (const app of bridges(dependencies)) {
      if ((await organizationOf(app)) === organizationId) own.add(app.name);
    }
    const items = located.filter(({ app }) => own.has(app.name)).map(represent);
    const leftOut = bridges(dependencies)
      .filter(({ name }) => own.has(name))
      .flatMap(({ name, catalog }) => catalog.leftOut.map((operation) => ({ app: name, ...operation })));
    return answerJson(c, { items, leftOut });
  };
};

function bridges(dependencies: Dependencies) {
  return dependencies.configuration().configuration.apps.filter((app) => app.type === "mcpBridge");
}

function represent({ tool, app, scopes }: LocatedTool) {
  return {
    name: tool.name,
    localName: tool.localName,
    app: app.name,
    ...(tool.title !== undefined && { title: tool.title }),
    ...(tool.description !== undefined && { description: tool.description }),
    method: tool.request.method,
    path: tool.request.path,
    scopes,
    annotations: tool.annotations,
  };
}
