/** Batches of one signal as OTLP has them. */
export interface Serializer<Batch> {
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
export function partialSuccess<Batch>(
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
