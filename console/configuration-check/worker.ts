import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { documentJsonSchema, publishedSchema } from "../../lib/config/json-schema.ts";
import { checkText } from "./check.ts";
import { documentFacts } from "./document-facts.ts";
import { edited } from "./edits.ts";
import { entryAt } from "./entry-changes.ts";
import { type FetchedDocuments, namedDocuments } from "./named-documents.ts";
import { prepare, render } from "./prepare.ts";
import type { CheckAnswer, CheckAnswers, CheckRequest, Surroundings } from "./protocol.ts";
import { toolsOf } from "./tools-of-app.ts";
import { dataOf } from "./yaml-data.ts";

const fetched: FetchedDocuments = new Map();
/** Of the last text that had no mistake. */
let latest: ConfigurationArtifact | undefined;

addEventListener("message", ({ data: { id, ...request } }: MessageEvent<CheckRequest & { readonly id: number }>) => {
  const send = (answer: CheckAnswer) => postMessage(answer);
  answerTo(request, (doing) => send({ id, doing })).then(
    (result) => send({ id, result }),
    (error: unknown) => send({ id, failed: error instanceof Error ? error.message : String(error) }),
  );
});

async function answerTo(
  request: CheckRequest,
  announce: (uri: string) => void,
): Promise<CheckAnswers[CheckRequest["kind"]]> {
  const documents = (surroundings: Surroundings) => namedDocuments(surroundings, fetched, announce);
  switch (request.kind) {
    case "check": {
      const checked = await checkText(request.text, documents(request.surroundings), request.surroundings);
      latest = checked.artifact;
      return checked.result;
    }
    case "try":
      return (await checkText(request.text, documents(request.surroundings), request.surroundings)).result;
    case "edit":
      return edited(request.text, request.edit);
    case "document":
      return documentFacts(request.uri, documents(request.surroundings));
    case "tools":
      return toolsOf(request.text, request.app, request.server, documents(request.surroundings));
    case "entry":
      return entryAt(dataOf(request.text), request.at);
    case "render":
      return render(request.document);
    case "schema":
      return publishedSchema(documentJsonSchema());
    case "prepare":
      if (latest === undefined) throw new Error("The configuration has mistakes.");
      return prepare(latest, request.inUse);
  }
}
