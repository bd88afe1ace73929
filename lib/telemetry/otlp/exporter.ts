import { VERSION } from "../../kernel/version.ts";
import { causeOf } from "../../logging/cause.ts";
import type { OtlpExporterConfiguration } from "../configuration.ts";
import type { DeliveryLog } from "./delivery-log.ts";
import { type Delivery, send } from "./send.ts";

/** Sends one batch to a collector. Never rejects: what cannot be delivered is lost, logged and counted. */
export type Export<Batch> = (batch: Batch, options: ExportOptions) => Promise<void>;

export interface ExportOptions {
  /** Milliseconds that this export may take at most, whatever the exporter is configured with. */
  readonly within?: number;
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

export interface ExporterParts<Batch> {
  /** As it is now: a credential in it may change. */
  readonly configuration: () => OtlpExporterConfiguration;
  readonly serializer: Serializer<Batch>;
  readonly fetch: typeof globalThis.fetch;
  readonly log: DeliveryLog;
  /** Spans or data points of a batch. */
  readonly sizeOf: (batch: Batch) => number;
  /** Counts what became of a batch; `errorType` when it was lost. */
  readonly count: (size: number, errorType: string | undefined) => void;
}

/** An OTLP/HTTP exporter (OTLP 1.x) as it is configured. */
export function createExporter<Batch>(parts: ExporterParts<Batch>): Export<Batch> {
  const { serializer, log, sizeOf, count } = parts;
  return async (batch, options) => {
    const size = sizeOf(batch);
    const delivery = await deliver(batch, options, parts);
    if (delivery.outcome === "failed") {
      count(size, delivery.errorType);
      log.lost(size, delivery.cause);
      return;
    }
    const { rejected, message } = partialSuccess(serializer, delivery.answer, size);
    if (size > rejected) count(size - rejected, undefined);
    if (rejected > 0) count(rejected, "rejected");
    if (rejected > 0 || message !== "") log.rejected(rejected, message);
    else log.delivered();
  };
}

async function deliver<Batch>(
  batch: Batch,
  { within, signal }: ExportOptions,
  { serializer, fetch, ...parts }: ExporterParts<Batch>,
): Promise<Delivery> {
  try {
    const configuration = parts.configuration();
    const { endpoint: url, compression, timeout } = configuration;
    const plain = new Uint8Array(serializer.serializeRequest(batch) ?? []);
    const body = compression === "gzip" ? await gzip(plain) : plain;
    const limits = { fetch, timeout: Math.min(timeout, within ?? timeout), signal };
    return await send({ url, headers: headersOf(configuration), body }, limits);
  } catch (error) {
    // A defect of ours; requests go on without their telemetry.
    return { outcome: "failed", cause: causeOf(error), errorType: "_OTHER" };
  }
}

/** Ours come last: they say what the body is. */
function headersOf({ headers, protocol, compression }: OtlpExporterConfiguration): Record<string, string> {
  const own: Record<string, string> = {
    "content-type": protocol === "http/json" ? "application/json" : "application/x-protobuf",
    ...(compression === "gzip" && { "content-encoding": "gzip" }),
  };
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { "user-agent": `Countersign/${VERSION}`, ...Object.fromEntries(lowered), ...own };
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}

/** Batches of one signal as OTLP has them. */
interface Serializer<Batch> {
  serializeRequest(batch: Batch): Uint8Array | undefined;
  /** May throw, and is typed more strictly than what collectors answer. */
  deserializeResponse(answer: Uint8Array): Answer;
}

interface Answer {
  readonly partialSuccess?: {
    readonly rejectedSpans?: number | string;
    readonly rejectedDataPoints?: number | string;
    readonly errorMessage?: string;
  };
}

/** What the collector left out; none and no message is full success (OTLP 1.x, partial success). */
function partialSuccess<Batch>(
  serializer: Serializer<Batch>,
  answer: Uint8Array,
  size: number,
): { readonly rejected: number; readonly message: string } {
  const { rejectedSpans, rejectedDataPoints, errorMessage } = answerOf(serializer, answer)?.partialSuccess ?? {};
  const rejected = Number(rejectedSpans ?? rejectedDataPoints ?? 0);
  return {
    rejected: rejected > 0 ? Math.min(Math.floor(rejected), size) : 0,
    message: typeof errorMessage === "string" ? errorMessage : "",
  };
}

/** A collector may answer anything with 200, `null` among it; it has the data all the same. */
function answerOf<Batch>(serializer: Serializer<Batch>, answer: Uint8Array): Answer | null {
  try {
    return serializer.deserializeResponse(answer);
  } catch {
    return null;
  }
}
