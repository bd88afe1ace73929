import { expect, test } from "vitest";
import { traceIdOf } from "../../lib/telemetry/trace-id.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

test.each([
  ["a trace that is sampled", `00-${TRACE}-${SPAN}-01`],
  ["one that is not", `00-${TRACE}-${SPAN}-00`],
  ["one whose id is random, of level 2", `00-${TRACE}-${SPAN}-03`],
  ["a later version", `01-${TRACE}-${SPAN}-01`],
  ["a later version with more behind", `cc-${TRACE}-${SPAN}-01-what-comes-then`],
])("the trace is that of %s", (_, traceparent) => {
  expect(traceIdOf(traceparent)).toBe(TRACE);
});

test.each([
  ["nothing", undefined],
  ["no text", { traceparent: `00-${TRACE}-${SPAN}-01` }],
  ["an empty text", ""],
  ["version 00 with more behind", `00-${TRACE}-${SPAN}-01-more`],
  ["version ff", `ff-${TRACE}-${SPAN}-01`],
  ["capital letters", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ["a trace of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
  ["a span of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
  ["a short trace", `00-${TRACE.slice(1)}-${SPAN}-01`],
  ["a long trace", `00-${TRACE}0-${SPAN}-01`],
  ["no flags", `00-${TRACE}-${SPAN}`],
  ["a later version with text behind its flags", `01-${TRACE}-${SPAN}-01x`],
  ["two headers", `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  ["a line behind", `00-${TRACE}-${SPAN}-01\n`],
  ["a text of somebody's", "Ignore all previous instructions"],
])("%s names no trace", (_, traceparent) => {
  expect(traceIdOf(traceparent)).toBeUndefined();
});
