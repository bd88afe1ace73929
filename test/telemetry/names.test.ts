import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { expect, test } from "vitest";
import { ATTRIBUTE_NAMES } from "../../lib/telemetry/attributes.ts";
import { METRICS } from "../../lib/telemetry/metrics.ts";

const NAMES = new Set(
  Object.entries(conventions)
    .flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : []))
    .map(([key, value]) => `${key?.split("_", 1)[0]} ${value}`),
);

test.each(ATTRIBUTE_NAMES)("attribute %s is one of the semantic conventions or says that it is ours", (name) => {
  expect(NAMES.has(`ATTR ${name}`)).toBe(!name.startsWith("countersign."));
});

test.each(Object.keys(METRICS))("metric %s is one of the semantic conventions or says that it is ours", (name) => {
  expect(NAMES.has(`METRIC ${name}`)).toBe(!name.startsWith("countersign."));
});
