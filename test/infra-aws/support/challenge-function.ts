import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { parse } from "yaml";
import type { Resource } from "./serverless-package.ts";

/** An answer of the origin as Lambda@Edge has it (CloudFront developer guide, "Lambda@Edge event structure"). */
export interface EdgeResponse {
  readonly status: string;
  readonly statusDescription: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, readonly EdgeHeader[]>>;
}

export interface EdgeHeader {
  readonly key: string;
  readonly value: string;
}

export interface ChallengeTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

const FILE = new URL("../../../infra/aws/cloudformation/challenge-function.yml", import.meta.url);

/** The template of the stack in us-east-1; `!Ref X` and `!GetAtt X` become objects. */
export function challengeTemplate(): ChallengeTemplate {
  const customTags = ["Ref", "GetAtt"].map((name) => ({
    tag: `!${name}`,
    resolve: (text: string) => ({ [name]: text }),
  }));
  return parse(readFileSync(FILE, "utf8"), { customTags });
}

/** The source text in the template. */
export function challengeCode(): string {
  const { Function: edge } = challengeTemplate().Resources;
  if (edge === undefined) throw new Error("the template has no function");
  return (edge.Properties.Code as { readonly ZipFile: string }).ZipFile;
}

export function digestOfCode(): string {
  return createHash("sha256").update(challengeCode()).digest("hex").slice(0, 8);
}

/** Runs the template's own code as the runtime does: CommonJS, the event in and the response out as JSON. */
export function challengeFunction(): (response: EdgeResponse) => Promise<EdgeResponse> {
  const module: { exports: { handler?: (event: unknown) => Promise<EdgeResponse> } } = { exports: {} };
  runInNewContext(challengeCode(), { module, exports: module.exports });
  return async (response) => {
    const config = { distributionId: "EXAMPLE", eventType: "origin-response", requestId: "example" };
    const event = { Records: [{ cf: { config, request: {}, response: structuredClone(response) } }] };
    return JSON.parse(JSON.stringify(await module.exports.handler?.(event)));
  };
}
