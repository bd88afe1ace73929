import { decodeUtf8 } from "./bytes.ts";
import { createJsonTokenizer } from "./json-tokenizer.ts";
import { brokenJson } from "./upstream-failure.ts";

/** Messages of one batch. */
export const BATCH_LIMIT = 1_000;

/** The texts of a list's entries. @throws {UpstreamFailure} `broken_json`, also for more than 1,000 of them and for none */
export function entriesOf(list: Uint8Array): readonly string[] {
  const entries: string[] = [];
  let depth = 0;
  let from = 0;
  const begin = (at: number): void => {
    if (depth === 1) from = at;
  };
  const end = (at: number): void => {
    if (depth !== 1) return;
    if (entries.length === BATCH_LIMIT) throw brokenJson(`a batch has more than ${BATCH_LIMIT} messages`);
    entries.push(decodeUtf8(list.subarray(from, at)));
  };
  const tokenizer = createJsonTokenizer({
    begin: (kind, at) => {
      begin(at);
      if (kind === "object" || kind === "list") depth++;
    },
    close: (at) => {
      depth--;
      end(at);
    },
    end,
    ...UNSEEN,
  });
  tokenizer.push(list);
  tokenizer.end();
  if (entries.length === 0) throw brokenJson("a batch has no messages");
  return entries;
}

/** The names of an object's members, as far as its beginning tells. @throws {UpstreamFailure} `broken_json` */
export function firstNames(beginning: Uint8Array): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  let from = 0;
  const tokenizer = createJsonTokenizer({
    ...UNSEEN,
    begin: (kind) => {
      if (kind === "object" || kind === "list") depth++;
    },
    close: () => {
      depth--;
    },
    end: () => undefined,
    beginKey: (at) => {
      from = at;
    },
    endKey: (at) => {
      if (depth === 1) names.push(JSON.parse(decodeUtf8(beginning.subarray(from, at))) as string);
    },
  });
  tokenizer.push(beginning);
  return names;
}

const UNSEEN = {
  beginKey: () => undefined,
  endKey: () => undefined,
  comma: () => undefined,
  lineBreak: () => undefined,
};
