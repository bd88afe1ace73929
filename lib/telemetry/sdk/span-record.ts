import { type SpanContext, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { VERSION } from "../../kernel/version.ts";
import type { Attributes } from "../attributes.ts";
import type { SpanOptions } from "../telemetry.ts";

/** A span that has ended, as it waits for its export: little, because many wait. */
export interface SpanRecord {
  readonly name: string;
  readonly kind: SpanOptions["kind"];
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly link: SpanContext | undefined;
  /** Milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Later ones win. */
  readonly attributes: readonly Attributes[];
  readonly errorType: string | undefined;
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
const SCOPE = { name: "countersign", version: VERSION };

/** The span as the SDK's serializers want it. */
export function readableSpan(record: SpanRecord, resource: Resource): ReadableSpan {
  const { name, kind, context, parent, link, startedAt, endedAt, errorType } = record;
  return {
    name,
    kind: KINDS[kind],
    spanContext: () => context,
    ...(parent !== undefined && { parentSpanContext: parent }),
    startTime: millisToHrTime(startedAt),
    endTime: millisToHrTime(endedAt),
    duration: millisToHrTime(endedAt - startedAt),
    ended: true,
    status: { code: errorType === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
    attributes: attributesOf(record),
    links: link === undefined ? [] : [{ context: link }],
    events: [],
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function attributesOf({ attributes, errorType }: SpanRecord): Record<string, string | number> {
  const known: Record<string, string | number> = {};
  for (const one of attributes) {
    for (const [name, value] of Object.entries(one)) if (value !== undefined) known[name] = value;
  }
  if (errorType !== undefined) known["error.type"] = errorType;
  return known;
}
