import { type Dialect, isWord, type Pattern, PatternError, readPattern } from "./pattern-syntax.ts";

/** A compiled regular expression. Looking for it takes time linear in the text. */
export interface PatternProgram {
  /** Instructions; what each character of a text costs at most. */
  readonly size: number;
  /** Whether it matches somewhere in the text (CEL specification, `matches`). */
  readonly matches: (text: string) => boolean;
}

export type Instruction =
  | Extract<Pattern, { kind: "character" | "position" }>
  /** The first of several is preferred. */
  | { readonly kind: "jump"; readonly to: readonly number[] }
  /** Remembers the place: slot 2n is where group n begins, 2n + 1 where it ends. */
  | { readonly kind: "save"; readonly slot: number }
  | { readonly kind: "match" };

/** Instructions of a program; counted repetitions are written out. */
const LARGEST = 2_000;

/** @throws PatternError */
export function compilePattern(source: string, dialect: Dialect = "cel"): PatternProgram {
  const program = programOf(readPattern(source, dialect), false);
  return { size: program.length, matches: createSearch(program) };
}

/** @param groups whether what groups match is remembered @throws PatternError */
export function programOf(pattern: Pattern, groups: boolean): readonly Instruction[] {
  const program: Instruction[] = [];
  write(groups ? pattern : withoutGroups(pattern), program);
  add(program, { kind: "match" });
  return program;
}

function withoutGroups(pattern: Pattern): Pattern {
  if (pattern.kind === "group") return withoutGroups(pattern.part);
  if (pattern.kind === "repeat") return { ...pattern, part: withoutGroups(pattern.part) };
  const isList = pattern.kind === "sequence" || pattern.kind === "choice";
  return isList ? { ...pattern, parts: pattern.parts.map(withoutGroups) } : pattern;
}

function write(pattern: Pattern, program: Instruction[]): void {
  switch (pattern.kind) {
    case "sequence":
      for (const part of pattern.parts) write(part, program);
      return;
    case "choice":
      writeChoice(pattern.parts, program);
      return;
    case "repeat":
      writeRepeat(pattern, program);
      return;
    case "group":
      add(program, { kind: "save", slot: 2 * pattern.index });
      write(pattern.part, program);
      add(program, { kind: "save", slot: 2 * pattern.index + 1 });
      return;
    default:
      add(program, pattern);
  }
}

function writeChoice(parts: readonly Pattern[], program: Instruction[]): void {
  const starts: number[] = [];
  add(program, { kind: "jump", to: starts });
  const ends: number[][] = [];
  for (const part of parts) {
    starts.push(program.length);
    write(part, program);
    const end: number[] = [];
    ends.push(end);
    add(program, { kind: "jump", to: end });
  }
  for (const end of ends) end.push(program.length);
}

function writeRepeat(repeat: Extract<Pattern, { kind: "repeat" }>, program: Instruction[]): void {
  const { part, least, most, lazy } = repeat;
  if (most === undefined) {
    for (let count = 1; count < least; count += 1) write(part, program);
    if (least > 0) writeAgain(part, lazy, program);
    else if (isNullable(part)) writeOptional(lazy, program, () => writeAgain(part, lazy, program));
    else writeLoop(part, lazy, program);
    return;
  }
  for (let count = 0; count < least; count += 1) write(part, program);
  for (let count = least; count < most; count += 1) writeOptional(lazy, program, () => write(part, program));
}

/** Once or more. What can match nothing is never begun anew for nothing (Go, regexp/syntax, `star`). */
function writeAgain(part: Pattern, lazy: boolean, program: Instruction[]): void {
  const again = [program.length];
  write(part, program);
  add(program, { kind: "jump", to: again });
  again.push(program.length);
  if (lazy) again.reverse();
}

function writeOptional(lazy: boolean, program: Instruction[], writePart: () => void): void {
  const leave = [program.length + 1];
  add(program, { kind: "jump", to: leave });
  writePart();
  leave.push(program.length);
  if (lazy) leave.reverse();
}

function writeLoop(part: Pattern, lazy: boolean, program: Instruction[]): void {
  const start = program.length;
  writeOptional(lazy, program, () => {
    write(part, program);
    add(program, { kind: "jump", to: [start] });
  });
}

function isNullable(pattern: Pattern): boolean {
  switch (pattern.kind) {
    case "character":
      return false;
    case "position":
      return true;
    case "sequence":
      return pattern.parts.every(isNullable);
    case "choice":
      return pattern.parts.some(isNullable);
    case "repeat":
      return pattern.least === 0 || isNullable(pattern.part);
    case "group":
      return isNullable(pattern.part);
  }
}

function add(program: Instruction[], instruction: Instruction): void {
  if (program.length >= LARGEST) throw new PatternError("is too large with its repetitions written out");
  program.push(instruction);
}

/** What a search knows between two characters: the instructions that may come next, and what stands before. */
interface State {
  readonly ways: readonly number[];
  /** Some character of the same kind as the last one; undefined at the beginning of the text. */
  readonly before: string | undefined;
  /** By ASCII characters: what follows on them, as far as it was met. */
  readonly next: (State | typeof MATCH)[];
}

const MATCH = "match";
const ASCII = 128;
/** Of what is remembered for one program, in numbers. */
const LARGEST_MEMORY = 20_000;

/**
 * All ways at once, a character at a time (Thompson 1968). What follows a set of ways on a character is remembered, so that most
 * characters cost one look into a table. Programs with too many sets go on without remembering; the next search begins anew.
 */
export function createSearch(program: readonly Instruction[]): (text: string) => boolean {
  const follow = createFollow(program);
  const begin = (): State => ({ ways: [], before: undefined, next: [] });
  const states = new Map<string, State>();
  let memory = 0;
  let first = begin();

  function stateOf(ways: readonly number[], before: string): State {
    if (memory > LARGEST_MEMORY) return { ways, before, next: [] };
    const key = `${before}${ways.toSorted((one, other) => one - other)}`;
    const known = states.get(key);
    if (known !== undefined) return known;
    const state: State = { ways, before, next: [] };
    states.set(key, state);
    memory += ways.length + ASCII;
    return state;
  }

  function advance(state: State, character: string): State | typeof MATCH {
    const ways = follow(state.ways, state.before, character);
    const next = ways === MATCH ? ways : stateOf(ways, isWord(character) ? "a" : " ");
    const code = character.charCodeAt(0);
    if (code < ASCII && memory <= LARGEST_MEMORY) state.next[code] = next;
    return next;
  }

  return (text) => {
    if (memory > LARGEST_MEMORY) {
      states.clear();
      memory = 0;
      first = begin();
    }
    let state = first;
    for (let index = 0; index < text.length; index += 1) {
      let next = state.next[text.charCodeAt(index)];
      if (next === undefined) {
        const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
        next = advance(state, character);
        index += character.length - 1;
      }
      if (next === MATCH) return true;
      state = next;
    }
    return follow(state.ways, state.before, undefined) === MATCH;
  };
}

/** Finds the ways on from those before a character; a match begins at each. */
type Follow = (
  ways: readonly number[],
  before: string | undefined,
  after: string | undefined,
) => readonly number[] | typeof MATCH;

function createFollow(program: readonly Instruction[]): Follow {
  // By instruction: the last call that reached it, so that each is opened once in a call.
  const reached = new Float64Array(program.length);
  const open = new Int32Array(program.length);
  let call = 0;
  let depth = 0;
  const reach = (at: number): void => {
    if (reached[at] === call) return;
    reached[at] = call;
    open[depth] = at;
    depth += 1;
  };
  return (ways, before, after) => {
    call += 1;
    depth = 0;
    const following: number[] = [];
    reach(0);
    for (const way of ways) reach(way);
    while (depth > 0) {
      depth -= 1;
      const at = open[depth] ?? 0;
      const instruction = program[at];
      if (instruction === undefined) continue;
      if (instruction.kind === "match") return MATCH;
      if (instruction.kind === "jump") for (const to of instruction.to) reach(to);
      else if (instruction.kind === "position") {
        if (instruction.holds(before, after)) reach(at + 1);
      } else if (instruction.kind === "save") reach(at + 1);
      else if (after !== undefined && instruction.isOne(after)) following.push(at + 1);
    }
    return following;
  };
}
