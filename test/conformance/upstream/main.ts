/**
 * The MCP server of the conformance scenarios in a process of its own. Prints its URL; ends with SIGTERM or SIGINT.
 *
 * node test/conformance/upstream/main.ts [--port PORT] [--log FILE]
 */
import { parseArgs } from "node:util";
import { createRequestLog } from "./request-log.ts";
import { startConformanceUpstream } from "./server.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" }, log: { type: "string" } } });
const log = values.log === undefined ? {} : { log: createRequestLog(values.log) };
const upstream = await startConformanceUpstream({ port: Number(values.port), ...log });
console.log(upstream.url);
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void upstream.stop());
