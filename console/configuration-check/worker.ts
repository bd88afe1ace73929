import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { documentJsonSchema, publishedSchema } from "../../lib/config/json-schema.ts";
import { checkText } from "./check.ts";
import { type FetchedDocuments, namedDocuments } from "./named-documents.ts";
import { prepare, render } from "./prepare.ts";
import type { CheckAnswer, CheckAnswers, CheckRequest } from "./protocol.ts";

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
  switch (request.kind) {
    case "check": {
      const checked = await checkText(request.text, namedDocuments(request.surroundings, fetched, announce));
      latest = checked.artifact;
      return checked.result;
    }
    case "render":
      return render(request.document);
    case "schema":
      return publishedSchema(documentJsonSchema());
    case "prepare":
      if (latest === undefined) throw new Error("The configuration has mistakes.");
      return prepare(latest, request.inUse);
  }
}
