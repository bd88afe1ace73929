import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { ConfigurationError, type ConfigurationMessage } from "../../lib/config/messages.ts";
import { checkAhead } from "../../lib/config/resolve.ts";
import { givenPlans } from "./given-plans.ts";
import type { NamedDocuments } from "./named-documents.ts";
import { type CheckMessage, type CheckResult, FILE } from "./protocol.ts";

/** A check, with what it compiled: undefined where there are mistakes. */
export interface Checked {
  readonly result: CheckResult;
  readonly artifact: ConfigurationArtifact | undefined;
}

/** What `countersign validate` does with a file, with a text and documents that are not on any disk. */
export async function checkText(text: string, documents: NamedDocuments): Promise<Checked> {
  const compiled = await compileConfiguration(text, {
    ...{ file: FILE, readDocument: documents.read, rego: givenPlans(documents) },
  });
  if ("errors" in compiled) return refused(compiled.errors, documents);
  const { artifact } = compiled;
  try {
    const warnings = await checkAhead(artifact, "node");
    const messages = warnings.map((message) => toned(message, "warning"));
    return { artifact, result: { messages, documents: documents.list(), isValid: true, tools: toolsOf(artifact) } };
  } catch (error) {
    if (error instanceof ConfigurationError) return refused(error.messages, documents);
    throw error;
  }
}

function refused(errors: readonly ConfigurationMessage[], documents: NamedDocuments): Checked {
  const messages = errors.map((message) => toned(message, "mistake"));
  return { artifact: undefined, result: { messages, documents: documents.list(), isValid: false, tools: 0 } };
}

function toned(message: ConfigurationMessage, tone: CheckMessage["tone"]): CheckMessage {
  return { ...message, tone, isHere: message.file === FILE };
}

function toolsOf({ catalogs }: ConfigurationArtifact): number {
  return Object.values(catalogs).reduce((sum, { tools }) => sum + tools.length, 0);
}
