import artifact from "countersign:configuration" with { type: "json" };
import type {} from "aws-lambda";
import { createHandler } from "./handler.ts";

const write = (line: string) => process.stdout.write(`${line}\n`);

export const handler = awslambda.streamifyResponse(await createHandler({ artifact, environment: process.env, write }));
