import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "vitest";
import { DOCUMENT, type DocumentedOperation, type DocumentedResponse } from "./documented.ts";
import type { ExampleCall } from "./example-calls.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(DOCUMENT, "document");

/** Expects an answer to be one that the document has for the operation: status, headers, media type and body. */
export async function expectDocumented(operation: DocumentedOperation, answer: Response): Promise<void> {
  const { operationId, method, path, responses } = operation;
  const { status } = answer;
  const response = responses[String(status)];
  if (response === undefined) expect.fail(`${operationId} answered ${status}: ${await answer.text()}`);
  const { pointer, documented } = located(`/paths/${escaped(path)}/${method}/responses/${status}`, response);
  for (const name of Object.keys(documented.headers ?? {}).filter((header) => header !== "Set-Cookie")) {
    expect(answer.headers.has(name), `${operationId} ${status} has ${name}`).toBe(true);
  }
  const mediaType = answer.headers.get("Content-Type")?.split(";")[0];
  const types = Object.keys(documented.content ?? {});
  if (mediaType === undefined) return expect(types, `${operationId} ${status} has no body`).toEqual([]);
  expect(types, `${operationId} ${status}`).toContain(mediaType);
  if (!/json$/.test(mediaType)) return;
  const validate = validator(`${pointer}/content/${escaped(mediaType)}/schema`);
  const body: unknown = await answer.json();
  if (!validate(body)) {
    expect.fail(`${operationId} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
  }
}

/** Expects what an operation is called with to be what the document has for it: the body, and names in path and query. */
export function expectAccepted(operation: DocumentedOperation, { path = {}, query = {}, body }: ExampleCall): void {
  const { operationId, parameters = [], requestBody } = operation;
  const documented = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
  for (const name of Object.keys(query)) expect(documented, operationId).toContain(`query ${name}`);
  for (const name of Object.keys(path)) expect(operation.path, operationId).toContain(`{${name}}`);
  expect(body !== undefined || requestBody?.required !== true, `${operationId} has its body`).toBe(true);
  if (body === undefined) return;
  const place = `/paths/${escaped(operation.path)}/${operation.method}`;
  const validate = validator(`${place}/requestBody/content/application~1json/schema`);
  if (!validate(body)) expect.fail(`${operationId}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}

function located(pointer: string, response: DocumentedResponse) {
  const name = response.$ref?.split("/").at(-1);
  if (name === undefined) return { pointer, documented: response };
  const { responses } = DOCUMENT.components as { responses: Readonly<Record<string, DocumentedResponse>> };
  return { pointer: `/components/responses/${name}`, documented: responses[name] as DocumentedResponse };
}

const validators = new Map<string, ValidateFunction>();

function validator(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known !== undefined) return known;
  const validate = ajv.compile({ $ref: `document#${encodeURI(pointer)}` });
  validators.set(pointer, validate);
  return validate;
}

/** RFC 6901 §3. */
function escaped(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}
