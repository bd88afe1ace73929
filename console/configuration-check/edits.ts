import { valueAt } from "../../lib/config/path.ts";
import { readYaml } from "../../lib/config/yaml/read.ts";
import { entryChanges } from "./entry-changes.ts";
import type { Callers, Credential, Edit, Edited, EditedPolicy, NewMcpServer, NewRestApi } from "./protocol.ts";
import { FILE } from "./protocol.ts";
import { toolChanges } from "./tool-changes.ts";
import { withChanges } from "./yaml-changes.ts";
import { type Change, dataOf, EditRefused } from "./yaml-data.ts";

/** What a form makes of the text. Where it cannot, nothing is changed and the words say why. */
export function edited(text: string, edit: Edit): Edited {
  const { document, errors } = readYaml(text, FILE);
  const [error] = errors;
  const isEmpty = !/^[^#\s]/m.test(text.replaceAll(/^\s+/gm, ""));
  if (document === undefined && error !== undefined && !isEmpty) {
    return { refused: `Line ${error.line}: ${error.message}. Correct it in the text first; nothing was changed.` };
  }
  try {
    return { text: withChanges(text, changesOf(dataOf(text), edit)) };
  } catch (cause) {
    if (cause instanceof EditRefused) return { refused: cause.message };
    throw cause;
  }
}

function changesOf(data: unknown, edit: Edit): readonly Change[] {
  switch (edit.kind) {
    case "tools":
      return toolChanges(data, edit.app, edit.changes);
    case "restApi":
      return addedApp(data, restApi(edit.app));
    case "mcpServer":
      return addedApp(data, mcpServer(edit.app));
    case "policy":
      return [policyChange(data, edit.policy)];
    default:
      return entryChanges(data, edit);
  }
}

/** A new expression stands alone, or after the rules that there are: each has to allow a call. */
function policyChange(data: unknown, { app: name, path, from, text }: EditedPolicy): Change {
  const apps = valueAt(data, ["apps"]);
  const index = (Array.isArray(apps) ? apps : []).findIndex((one) => valueAt(one, ["name"]) === name);
  if (index === -1) throw new EditRefused(`There is no app ${name} in the text.`);
  const app = ["apps", index];
  if (path !== undefined) {
    if (valueAt(data, [...app, ...path]) === from) return { path: [...app, ...path], value: text };
    throw new EditRefused(`The policy of the app ${name} is another one in the text than the one in use.`);
  }
  const inbound = [...app, "authorization", "inbound"];
  if (valueAt(data, [...inbound, "cel"]) === undefined) return { path: [...inbound, "cel"], value: text };
  const rules = valueAt(data, [...inbound, "rules"]) ?? [];
  if (!Array.isArray(rules)) throw new EditRefused(`The rules of the app ${name} are no list.`);
  return { path: [...inbound, "rules", rules.length], value: { cel: text } };
}

/** At the end of the list; a gateway is turned on where the text says nothing of one. */
function addedApp(data: unknown, app: Readonly<Record<string, unknown>>): readonly Change[] {
  const apps = valueAt(data, ["apps"]);
  if (apps !== undefined && apps !== null && !Array.isArray(apps)) throw new EditRefused("apps is no list.");
  const names: readonly unknown[] = (apps ?? []).map((one: unknown) => valueAt(one, ["name"]));
  if (names.includes(app.name)) throw new EditRefused(`There is an app with the name ${app.name} already.`);
  const provider = valueAt(data, ["mcpProvider"]);
  const isMissing = provider === undefined || provider === null;
  return [
    ...(data === undefined ? [{ path: ["version"], value: "1" }] : []),
    ...(isMissing ? [{ path: ["mcpProvider"], value: { enabled: true } }] : []),
    { path: ["apps", names.length], value: app },
  ];
}

function restApi({ name, uri, baseURL, include, exclude, credential, callers }: NewRestApi) {
  return {
    name,
    type: "mcpBridge",
    openapi: {
      spec: { uri },
      ...(baseURL !== undefined && { baseURL }),
      ...lists({ include, exclude }),
    },
    ...upstream(credential),
    ...authorization(callers),
  };
}

function mcpServer({ name, namespace, url, transport, include, exclude, credential, callers }: NewMcpServer) {
  const tools = lists({ include, exclude });
  return {
    name,
    type: "mcpProxy",
    ...(namespace !== undefined && { toolNamespace: { name: namespace } }),
    upstream: {
      ...(transport === "sse" && { transport }),
      [transport]: { url },
      ...upstream(credential).upstream,
    },
    ...(Object.keys(tools).length > 0 && { tools }),
    ...authorization(callers),
  };
}

function authorization({ scopes, members }: Callers = { scopes: [] }): { readonly authorization?: object } {
  const inbound = {
    ...(members !== undefined && { members }),
    ...(scopes.length > 0 && { tools: [{ name: "/.*/", scopes }] }),
  };
  return Object.keys(inbound).length === 0 ? {} : { authorization: { inbound } };
}

function lists({
  include = [],
  exclude = [],
}: {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}) {
  return { ...(include.length > 0 && { include }), ...(exclude.length > 0 && { exclude }) };
}

function upstream(credential: Credential | undefined): { readonly upstream?: object } {
  switch (credential?.kind) {
    case undefined:
      return {};
    case "header":
      return { upstream: { headers: { [credential.header]: credential.value } } };
    case "scheme":
      return { upstream: { auth: { [credential.scheme]: { value: credential.value } } } };
    case "basic": {
      const { scheme, username, password } = credential;
      return { upstream: { auth: { [scheme]: { username, password } } } };
    }
  }
}
