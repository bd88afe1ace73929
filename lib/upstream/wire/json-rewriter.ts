import { utf8 } from "../../kernel/encoding.ts";
import { type AnswerFacts, createFactsReader, FACTS, type Fact } from "./answer-facts.ts";
import { decodeUtf8 } from "./byte-source.ts";
import { createHeldOutput } from "./held-output.ts";
import { createJsonTokenizer, type ValueKind } from "./json-tokenizer.ts";
import { compileRules, type RewriteRules, type RuleNode } from "./rewrite-rules.ts";

export interface JsonRewriter {
  /**
   * What follows of the rewritten text; it may share the chunk's memory.
   *
   * @throws {UpstreamFailure} `broken_json` at the first byte that cannot belong to a JSON text
   */
  push(chunk: Uint8Array): Uint8Array;
  /** @throws {UpstreamFailure} `broken_json` when the text is not complete */
  end(): Uint8Array;
  /** Of what was pushed so far. */
  facts(): AnswerFacts;
}

/**
 * Rewrites one JSON text while it comes in chunks, cut anywhere (D109). What no rule is about passes byte for byte: the order of
 * members, numbers, escapes, unknown members. Two things differ: line breaks outside of strings become spaces, so that the
 * text fits one line of an event stream, and white space behind a comma stands before it where members are inserted.
 */
export function createJsonRewriter(rules: RewriteRules): JsonRewriter {
  const output = createHeldOutput();
  const reader = createFactsReader();
  const root = compileRules(rules, FACTS);
  /** The nodes of the open objects and lists, from the outermost on; undefined where there are no rules. */
  const open: { readonly node: RuleNode | undefined; readonly isObject: boolean }[] = [];
  /** Of the value that is read or comes next. */
  let node: RuleNode | undefined = root;
  let isRead = false;
  /** How many objects and lists are open around the value that is left out. */
  let mutedIn: number | undefined;

  const mute = (at: number): void => {
    if (mutedIn !== undefined) return;
    mutedIn = open.length;
    output.mute(at);
  };

  const finishValue = (at: number): void => {
    if (mutedIn !== open.length) return;
    mutedIn = undefined;
    output.unmute(at);
  };

  const begin = (kind: ValueKind, at: number): void => {
    const around = open.at(-1);
    if (around !== undefined && !around.isObject) node = around.node?.each;
    if (node?.fact !== undefined) reader.begin(node.fact, kind);
    if (node?.json !== undefined && mutedIn === undefined) {
      output.write(at, utf8(node.json));
      mute(at);
    }
    if (kind === "object" || kind === "list") {
      open.push({ node, isObject: kind === "object" });
      if (kind === "object" && node !== undefined && isInsertedIn(node)) output.write(at + 1, membersOf(node.insert));
      return;
    }
    isRead = node?.fact !== undefined || (node?.replace !== undefined && kind === "string");
    if (isRead) output.hold(at, NOTHING);
  };

  /** Of a value that is neither object nor list. */
  const end = (at: number): void => {
    if (isRead) {
      const bytes = output.take(at);
      if (bytes !== undefined) output.write(at, look(bytes, node?.fact, node?.replace));
    }
    finishValue(at);
  };

  const look = (bytes: Uint8Array, fact: Fact | undefined, replace: Replace | undefined): Uint8Array => {
    const json = decodeUtf8(bytes);
    if (fact !== undefined) reader.value(fact, json);
    if (replace === undefined || !json.startsWith('"')) return bytes;
    const value = JSON.parse(json) as string;
    const replaced = replace(value);
    return replaced === value ? bytes : utf8(JSON.stringify(replaced));
  };

  const close = (at: number): void => {
    open.pop();
    finishValue(at);
  };

  const beginKey = (at: number): void => {
    const around = open.at(-1)?.node;
    isRead = around !== undefined && (around.members.size > 0 || around.insert.size > 0);
    if (isRead) output.hold(at, isInsertedIn(around) ? COMMA : NOTHING);
  };

  const endKey = (at: number): void => {
    node = undefined;
    if (!isRead) return;
    const around = open.at(-1)?.node;
    const bytes = output.take(at);
    // No rule has so long a name.
    if (bytes === undefined) return;
    const name = JSON.parse(decodeUtf8(bytes.subarray(isInsertedIn(around) ? 1 : 0))) as string;
    node = around?.members.get(name);
    if (around?.insert.has(name)) mute(at);
    else output.write(at, bytes);
  };

  const comma = (at: number): void => {
    const around = open.at(-1);
    // The member behind it may be dropped.
    if (around?.isObject && isInsertedIn(around.node)) output.skip(at);
  };

  const tokenizer = createJsonTokenizer({
    begin,
    end,
    close,
    beginKey,
    endKey,
    comma,
    lineBreak: output.blank,
  });
  return {
    push: (chunk) => {
      output.beginChunk(chunk);
      tokenizer.push(chunk);
      return output.endChunk();
    },
    end: () => {
      output.beginChunk(NOTHING);
      tokenizer.end();
      return output.endChunk();
    },
    facts: reader.facts,
  };
}

/** The text with the rules applied. @throws {UpstreamFailure} `broken_json` when it is no JSON */
export function rewriteText(text: string, rules: RewriteRules): string {
  const rewriter = createJsonRewriter(rules);
  return decodeUtf8(rewriter.push(utf8(text))) + decodeUtf8(rewriter.end());
}

type Replace = NonNullable<RuleNode["replace"]>;

const NOTHING = new Uint8Array();
const COMMA = utf8(",");

function isInsertedIn(node: RuleNode | undefined): boolean {
  return node !== undefined && node.insert.size > 0;
}

function membersOf(insert: RuleNode["insert"]): Uint8Array {
  return utf8(Array.from(insert, ([name, json]) => `${JSON.stringify(name)}:${json}`).join());
}
