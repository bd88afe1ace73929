import type { Incoming } from "./byte-source.ts";
import { type ByteSource, type CollectedBytes, collectBytes, withoutMark } from "./byte-source.ts";
import { createFieldReader, type EventField } from "./event-fields.ts";
import { brokenOff } from "./upstream-failure.ts";

/** A server-sent event. What does not fit 64 KiB is read before the next event, or passed over. */
export interface StreamEvent {
  /** `message` unless the stream says otherwise; of a long event what it said by then. */
  readonly type: string;
  /** The last event id; of a long event the one before, unless its own came in front of the data. */
  readonly id?: string;
  readonly data: Incoming;
}

/** Where a stream goes on after it ended (MCP 2025-11-25, transports, resumability). */
export interface Resumption {
  readonly lastEventId?: string;
  /** Milliseconds to wait before. */
  readonly retry?: number;
}

export interface EventSource {
  /**
   * Throws an `UpstreamFailure`, `broken_off`, when the stream ends within an event that has data. So does reading a long event
   * whose type turns out to be another than at its beginning: whoever wrote it withdrew it.
   */
  readonly events: AsyncGenerator<StreamEvent, void, undefined>;
  resumption(): Resumption;
}

/** Bytes of data that are kept before an event is handed over piece by piece. */
export const EVENT_LIMIT = 64 * 1024;

/** Reads `text/event-stream` (HTML Standard §9.2.6). */
export function readEventSource(bytes: ByteSource): EventSource {
  const nextField = fieldsOf(withoutMark(bytes));
  let type = "";
  /** Becomes the last event id when the event ends. */
  let id = "";
  let resumption: Resumption = {};

  const note = (field: EventField): void => {
    if (field.kind === "event") type = field.text;
    if (field.kind === "id") id = field.text;
    if (field.kind === "retry") resumption = { ...resumption, retry: field.time };
  };

  /** The type of the event that ended. */
  const endEvent = (): string => {
    const { lastEventId: _, ...others } = resumption;
    resumption = id === "" ? others : { ...others, lastEventId: id };
    const ended = type || DEFAULT_TYPE;
    type = "";
    return ended;
  };

  const eventOf = (eventType: string, data: Incoming): StreamEvent => ({
    type: eventType,
    ...(id !== "" && { id }),
    data,
  });

  const longEvent = (head: Uint8Array) => {
    const begunAs = type || DEFAULT_TYPE;
    /** Until the event has ended. */
    let endedAs: string | undefined;
    const nextPiece = async (): Promise<Uint8Array | undefined> => {
      while (endedAs === undefined) {
        const field = await nextField();
        if (field === undefined) throw brokenOff();
        if (field.kind === "data") return field.bytes;
        if (field.kind === "end") endedAs = endEvent();
        else note(field);
      }
      return undefined;
    };
    const read = async (): Promise<Uint8Array | undefined> => {
      const piece = await nextPiece();
      if (piece === undefined && endedAs !== begunAs) throw brokenOff();
      return piece;
    };
    const skip = async (): Promise<void> => {
      for (let piece = await nextPiece(); piece !== undefined; ) piece = await nextPiece();
    };
    return { event: eventOf(begunAs, { head, read }), skip };
  };

  async function* events(): AsyncGenerator<StreamEvent, void, undefined> {
    let held: CollectedBytes | undefined;
    for (let field = await nextField(); field !== undefined; field = await nextField()) {
      note(field);
      if (field.kind === "data") {
        held ??= collectBytes();
        held.add(field.bytes);
      }
      if (held !== undefined && held.length > EVENT_LIMIT) {
        const { event, skip } = longEvent(held.all());
        held = undefined;
        yield event;
        await skip();
      } else if (field.kind === "end") {
        const eventType = endEvent();
        const event = held && eventOf(eventType, { head: held.all() });
        held = undefined;
        if (event !== undefined) yield event;
      }
    }
    if (held !== undefined) throw brokenOff();
  }

  return { events: events(), resumption: () => resumption };
}

const DEFAULT_TYPE = "message";

/** One field after the other; undefined behind the last. */
function fieldsOf(bytes: ByteSource): () => Promise<EventField | undefined> {
  const readFields = createFieldReader();
  let fields: readonly EventField[] = [];
  let next = 0;
  return async () => {
    while (next === fields.length) {
      const chunk = await bytes.read();
      if (chunk === undefined) return undefined;
      fields = readFields(chunk);
      next = 0;
    }
    return fields[next++];
  };
}
