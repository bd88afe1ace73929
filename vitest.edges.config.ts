import { mergeConfig } from "vitest/config";
import { SETTINGS } from "./vitest.config.ts";

/**
 * What runs on workerd, Durable Objects, Lambda or DynamoDB: `npm run test:edges`, a step of `.ci/run`. Each process
 * loads wrangler and AWS's client once, for all files that it runs.
 */
export default mergeConfig(SETTINGS, { test: { include: ["test/**/*.edge.test.ts"], isolate: false } });
