import artifact from "countersign:configuration" with { type: "json" };
import { fileURLToPath } from "node:url";
import type {} from "aws-lambda";
import { createHandler } from "./handler.ts";

const write = (line: string) => process.stdout.write(`${line}\n`);

/** Beside the bundle. */
const consoleFolder = fileURLToPath(new URL("console", import.meta.url));

export const handler = awslambda.streamifyResponse(
  await createHandler({ artifact, environment: process.env, write, consoleFolder }),
);
