import { type Instruction, programOf } from "../policy/cel/pattern-program.ts";
import { readPattern } from "../policy/cel/pattern-syntax.ts";

/** Counts what searching takes, and throws when that is too much. */
export type Spend = (instructions: number) => void;

/** A pattern that says where it matches. */
export interface PatternFinder {
  /** The leftmost match behind a place, and of those that begin there the preferred one; the empty ones are passed over. */
  readonly find: (text: string, from: number, spend: Spend) => Span | undefined;
  /** Whether it matches some part of a number as JSON has it, with `e` in lower case. */
  readonly mayMatchNumber: () => boolean;
  /** Whether it matches nothing at all, at some place. */
  readonly matchesNothing: boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const ASCII = 128;

/** @throws PatternError */
export function patternFinder(source: string): PatternFinder {
  const program = programOf(readPattern(source, "cel"), false);
  const canBegin = beginnings(program);
  const search = createSearch(program);
  return {
    find: (text, from, spend) => {
      for (let at = from; at < text.length; ) {
        at = nextBeginning(text, at, canBegin);
        if (at >= text.length) return undefined;
        const found = search(text, at, canBegin, spend);
        if (found.span === undefined || found.span.end > found.span.start) return found.span;
        at = found.span.start + widthAt(text, found.span.start);
      }
      return undefined;
    },
    mayMatchNumber: () => isReachedByNumber(program),
    matchesNothing: closureOf(program, [0]).isEnd,
  };
}

type CanBegin = (character: string) => boolean;

function nextBeginning(text: string, from: number, canBegin: CanBegin): number {
  let at = from;
  while (at < text.length) {
    const character = characterAt(text, at);
    if (canBegin(character)) return at;
    at += character.length;
  }
  return at;
}

/** Whether a match can begin with a character; what matches nothing can begin anywhere. */
function beginnings(program: readonly Instruction[]): CanBegin {
  const { characters, isEnd } = closureOf(program, [0]);
  const isFirst = (character: string) => isEnd || characters.some((at) => isOne(program[at], character));
  const known = Array.from({ length: ASCII }, (_, code) => isFirst(String.fromCharCode(code)));
  return (character) => known[character.charCodeAt(0)] ?? isFirst(character);
}

function isOne(instruction: Instruction | undefined, character: string): boolean {
  return instruction?.kind === "character" && instruction.isOne(character);
}

/** What comes of instructions without reading a character, wherever they stand. */
function closureOf(program: readonly Instruction[], from: readonly number[]) {
  const seen = new Set<number>();
  const open = [...from];
  const characters: number[] = [];
  let isEnd = false;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const instruction = program[at];
    if (instruction?.kind === "match") isEnd = true;
    else if (instruction?.kind === "jump") open.push(...instruction.to);
    else if (instruction?.kind === "character") characters.push(at);
    else open.push(at + 1);
  }
  return { characters, isEnd };
}

function isReachedByNumber(program: readonly Instruction[]): boolean {
  const mantissa = reachedBy(program, [0], "0123456789.-");
  const exponent = reachedBy(program, after(program, mantissa.characters, "e"), "0123456789+-");
  return mantissa.isEnd || exponent.isEnd;
}

/** What is reached from instructions by any text of these characters. */
function reachedBy(program: readonly Instruction[], from: readonly number[], characters: string) {
  const tried = new Set<number>();
  for (let open = from; open.length > 0; ) {
    const closure = closureOf(program, open);
    if (closure.isEnd) return { isEnd: true, characters: [...tried] };
    const fresh = closure.characters.filter((at) => !tried.has(at));
    for (const at of fresh) tried.add(at);
    open = after(program, fresh, characters);
  }
  return { isEnd: false, characters: [...tried] };
}

function after(program: readonly Instruction[], from: readonly number[], characters: string): readonly number[] {
  return from.filter((at) => [...characters].some((one) => isOne(program[at], one))).map((at) => at + 1);
}

type Search = (text: string, from: number, canBegin: CanBegin, spend: Spend) => { readonly span: Span | undefined };

/** Ways through a program in the order in which they are preferred, each with the place where it began. */
interface Ways {
  count: number;
  readonly at: Int32Array;
  readonly start: Int32Array;
}

/** All ways at once, a character at a time, the preferred one first (Pike 1987). */
function createSearch(program: readonly Instruction[]): Search {
  const waysOf = (): Ways => ({ count: 0, at: new Int32Array(program.length), start: new Int32Array(program.length) });
  const reached = new Float64Array(program.length);
  const stack: number[] = [];
  let call = 0;
  let [current, next] = [waysOf(), waysOf()];

  /** Adds what is reached from an instruction without reading a character. Returns how many instructions that were. */
  function enter(
    to: Ways,
    first: number,
    start: number,
    before: string | undefined,
    after: string | undefined,
  ): number {
    let visited = 0;
    stack.push(first);
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (reached[at] === call) continue;
      reached[at] = call;
      visited += 1;
      const instruction = program[at] as Instruction;
      if (instruction.kind === "jump")
        for (let way = instruction.to.length - 1; way >= 0; way -= 1) stack.push(instruction.to[way] as number);
      else if (instruction.kind === "save") stack.push(at + 1);
      else if (instruction.kind === "position") {
        if (instruction.holds(before, after)) stack.push(at + 1);
      } else {
        to.at[to.count] = at;
        to.start[to.count] = start;
        to.count += 1;
      }
    }
    return visited;
  }

  return (text, from, canBegin, spend) => {
    let span: Span | undefined;
    let index = from;
    let before = characterBefore(text, from);
    current.count = 0;
    call += 1;
    let after: string | undefined = characterAt(text, index);
    spend(enter(current, 0, index, before, after));
    for (;;) {
      call += 1;
      next.count = 0;
      let visited = 1;
      const width: number = after?.length ?? 0;
      const following: string | undefined =
        after === undefined || index + width >= text.length ? undefined : characterAt(text, index + width);
      for (let way = 0; way < current.count; way += 1) {
        const at = current.at[way] as number;
        const start = current.start[way] as number;
        const instruction = program[at] as Instruction;
        if (instruction.kind === "match") {
          span = { start, end: index };
          break;
        }
        if (after !== undefined && isOne(instruction, after)) visited += enter(next, at + 1, start, after, following);
      }
      if (after === undefined) return { span };
      index += width;
      before = after;
      after = following;
      // Another match begins here where none is found yet.
      if (span === undefined && after !== undefined && canBegin(after)) visited += enter(next, 0, index, before, after);
      spend(visited);
      [current, next] = [next, current];
      if (current.count > 0) continue;
      if (span !== undefined || after === undefined) return { span };
      index = nextBeginning(text, index, canBegin);
      if (index >= text.length) return { span };
      before = characterBefore(text, index);
      after = characterAt(text, index);
      call += 1;
      spend(enter(current, 0, index, before, after));
    }
  };
}

function widthAt(text: string, index: number): number {
  return characterAt(text, index).length;
}

function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) ?? 0);
}

function characterBefore(text: string, index: number): string | undefined {
  if (index === 0) return undefined;
  const last = text.charCodeAt(index - 1);
  const isPair = last >= 0xdc00 && last < 0xe000 && index > 1;
  return isPair ? text.slice(index - 2, index) : text[index - 1];
}
