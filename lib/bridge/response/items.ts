/** The items of a stream as text: the events of `text/event-stream`, or JSON texts line by line. */
export function itemsIn(text: string, kind: "events" | "lines"): readonly string[] {
  if (kind === "events") return events(text);
  // RFC 7464 §2.2: each text begins with a record separator.
  return text
    .replaceAll("\u001e", "\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/**
 * What an event says (HTML, Server-sent events, Interpreting an event stream): its data, below its name where it has
 * one. What no empty line ends is no event.
 */
function events(text: string): readonly string[] {
  const blocks = text.replaceAll(/\r\n?/g, "\n").split("\n\n").slice(0, -1);
  return blocks.flatMap((block) => {
    const fields = block.split("\n").map(field);
    const data = fields.filter(({ name }) => name === "data").map(({ value }) => value);
    const named = fields.findLast(({ name }) => name === "event")?.value;
    if (data.length === 0) return [];
    return [[...(named ? [`event: ${named}`] : []), ...data].join("\n")];
  });
}

/** A comment has no name. */
function field(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(":");
  if (colon === -1) return { name: line, value: "" };
  return { name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, "") };
}

/** Counts the items of a stream while its bytes arrive; what it returns takes a chunk and says how many there are by then. */
export function itemCounter(kind: "events" | "lines"): (chunk: Uint8Array) => number {
  let count = 0;
  let lineLength = 0;
  let open = false;
  let previous = 0;
  const endLine = () => {
    if (kind === "lines" ? lineLength > 0 : lineLength === 0 && open) {
      count++;
      open = false;
    } else if (lineLength > 0) open = true;
    lineLength = 0;
  };
  return (chunk) => {
    for (const byte of chunk) {
      const isPair = byte === LF && previous === CR;
      if (byte !== LF && byte !== CR) lineLength++;
      else if (!isPair) endLine();
      previous = byte;
    }
    return count;
  };
}

const LF = 10;
const CR = 13;
