import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { compileDocument } from "../../lib/config/compile.ts";
import { ConfigurationError, type ConfigurationMessage } from "../../lib/config/messages.ts";
import { valueAt } from "../../lib/config/path.ts";
import { checkAhead } from "../../lib/config/resolve.ts";
import { readYaml } from "../../lib/config/yaml/read.ts";
import { HIDDEN_SECRET } from "../../lib/deployment/changes.ts";
import { artifactInUse, compiledInUse } from "./compiled-in-use.ts";
import { givenPlans } from "./given-plans.ts";
import { withReferences } from "./hidden-secrets.ts";
import type { NamedDocuments } from "./named-documents.ts";
import {
  type CheckMessage,
  type CheckResult,
  type EntryList,
  FILE,
  type ListedApp,
  type Surroundings,
} from "./protocol.ts";

/** A check, with what it compiled: undefined where there are mistakes. */
export interface Checked {
  readonly result: CheckResult;
  readonly artifact: ConfigurationArtifact | undefined;
}

/**
 * What `countersign validate` does with a file, with a text and documents that are not on any disk.
 *
 * @param around what is in use: `inUse` serves where documents and policies are not here
 */
export async function checkText(
  text: string,
  documents: NamedDocuments,
  { inUse, keeps }: Pick<Surroundings, "inUse" | "keeps"> = {},
): Promise<Checked> {
  const { yaml, errors: unknown } = withReferences(readYaml(text, FILE), keeps);
  const said = {
    apps: listedApps(yaml.document),
    lists: listedEntries(yaml.document),
    hasGateway: valueAt(yaml.document, ["mcpProvider"]) !== undefined,
  };
  const before = compiledInUse(inUse && artifactInUse(inUse));
  const compiled = await compileDocument(yaml, {
    ...{ file: FILE, readDocument: documents.read, rego: givenPlans(documents), before },
  });
  const found = (): Pick<CheckResult, "documents" | "isLacking"> => ({
    isLacking: before.isAsked(),
    documents: documents
      .list()
      .map((one) => (one.state === "missing" && before.uris().has(one.uri) ? { uri: one.uri, state: "in-use" } : one)),
  });
  const refused = (errors: readonly ConfigurationMessage[]): Checked => {
    const messages = errors.map((message) => toned(message, "mistake"));
    const result = { messages, ...found(), isValid: false, tools: 0, ...said };
    return { artifact: undefined, result };
  };
  if ("errors" in compiled) {
    // What stands there is nothing that could be checked.
    const told = compiled.errors.filter(({ path }) => !unknown.some((one) => one.path === path));
    return refused([...unknown, ...told]);
  }
  if (unknown.length > 0) return refused(unknown);
  const { artifact } = compiled;
  try {
    const warnings = await checkAhead(artifact, "node");
    const messages = [...(keeps === undefined ? hiddenSecrets(text) : []), ...warnings].map((message) =>
      toned(message, "warning"),
    );
    return {
      artifact,
      result: { messages, ...found(), isValid: true, tools: toolsOf(artifact), ...said },
    };
  } catch (error) {
    if (error instanceof ConfigurationError) return refused(error.messages);
    throw error;
  }
}

/** Where a secret stood in what is in use: with this text in its place nothing can be published. */
function hiddenSecrets(text: string): readonly ConfigurationMessage[] {
  return text.split("\n").flatMap((written, index) => {
    const column = written.replace(/(?:^|\s)#.*$/, "").indexOf(HIDDEN_SECRET) + 1;
    return column === 0 ? [] : [{ file: FILE, line: index + 1, column, path: "", message: NOT_SHOWN }];
  });
}

const NOT_SHOWN = `${HIDDEN_SECRET} stands in the place of a secret that is not shown; write a reference such as <name> before you publish`;

function toned(message: ConfigurationMessage, tone: CheckMessage["tone"]): CheckMessage {
  return { ...message, tone, isHere: message.file === FILE };
}

function toolsOf({ catalogs }: ConfigurationArtifact): number {
  return Object.values(catalogs).reduce((sum, { tools }) => sum + tools.length, 0);
}

function listedEntries(document: unknown): CheckResult["lists"] {
  const namesOf = (list: EntryList) => {
    const entries = valueAt(document, [list]);
    return (Array.isArray(entries) ? entries : []).map((entry: unknown) => {
      const name = valueAt(entry, ["name"]);
      return typeof name === "string" ? name : "";
    });
  };
  return { limits: namesOf("limits"), connectors: namesOf("connectors") };
}

/** As far as the text can be read: forms work on what has mistakes, too. */
function listedApps(document: unknown): readonly ListedApp[] {
  const apps = valueAt(document, ["apps"]);
  return (Array.isArray(apps) ? apps : []).map((app: unknown): ListedApp => {
    const [name, type] = [valueAt(app, ["name"]), valueAt(app, ["type"])];
    const transport = valueAt(app, ["upstream", "transport"]) === "sse" ? "sse" : "stream";
    const url = valueAt(app, ["upstream", transport, "url"]);
    const isServer = type === "mcpProxy" && typeof url === "string";
    return {
      name: typeof name === "string" ? name : "",
      type: type === "mcpBridge" || type === "mcpProxy" ? type : "other",
      ...(isServer && { server: { url, transport } }),
    };
  });
}
