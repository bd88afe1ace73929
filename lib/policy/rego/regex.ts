import { type Instruction, programOf } from "../cel/pattern-program.ts";
import { type Pattern, readPattern } from "../cel/pattern-syntax.ts";
import { spend } from "./budget.ts";

/** A regular expression of Go's syntax that says where it matches, in time linear in the text. */
export interface Regex {
  /** Names of groups by their number; group 0 is the whole. */
  readonly names: readonly (string | undefined)[];
  /** At most `most` matches from left to right, without overlap. */
  readonly findAll: (text: string, most: number) => readonly Match[];
}

/** Beginnings and ends by group: group n is from 2n to 2n + 1; undefined where it did not match. */
export type Match = readonly (number | undefined)[];

/** @throws PatternError */
export function compileRegex(source: string): Regex {
  const pattern = readPattern(source, "re2");
  const names: (string | undefined)[] = [undefined];
  nameGroups(pattern, names);
  const program = programOf(pattern, true);
  return { names, findAll: (text, most) => findAll(program, names.length, text, most) };
}

function nameGroups(pattern: Pattern, names: (string | undefined)[]): void {
  if (pattern.kind === "group") names[pattern.index] = pattern.name;
  if (pattern.kind === "group" || pattern.kind === "repeat") nameGroups(pattern.part, names);
  else if (pattern.kind === "sequence" || pattern.kind === "choice")
    for (const part of pattern.parts) nameGroups(part, names);
}

/** As Go's `regexp`: no empty match just behind another match. */
function findAll(program: readonly Instruction[], groups: number, text: string, most: number): readonly Match[] {
  const found: Match[] = [];
  let lastEnd = -1;
  for (let from = 0; from <= text.length && found.length < most; ) {
    const match = find(program, groups, text, from);
    if (match === undefined) break;
    const [start, end] = [match[0] as number, match[1] as number];
    const isEmpty = end === from;
    if (!(isEmpty && start === lastEnd)) found.push(match);
    from = isEmpty ? from + widthAt(text, from) : end;
    lastEnd = end;
  }
  return found;
}

function widthAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

interface Thread {
  readonly at: number;
  readonly slots: Match;
}

/** Instructions that one step of the budget pays for. */
const INSTRUCTIONS_A_STEP = 1;

/** The leftmost match, and of those at one place the preferred one (Pike 1987). */
function find(program: readonly Instruction[], groups: number, text: string, from: number): Match | undefined {
  let threads: Thread[] = [];
  let found: Match | undefined;
  const reached = new Int32Array(program.length).fill(-1);
  const empty: Match = new Array<number | undefined>(2 * groups).fill(undefined);
  let before = characterBefore(text, from);
  for (let index = from; ; ) {
    const after = index < text.length ? String.fromCodePoint(text.codePointAt(index) as number) : undefined;
    const list: Thread[] = [];
    const enter = (at: number, slots: Match): void => {
      const open: Thread[] = [{ at, slots }];
      for (let thread = open.pop(); thread !== undefined; thread = open.pop()) {
        if (reached[thread.at] === index) continue;
        reached[thread.at] = index;
        const instruction = program[thread.at] as Instruction;
        if (instruction.kind === "jump")
          for (const to of instruction.to.toReversed()) open.push({ at: to, slots: thread.slots });
        else if (instruction.kind === "save")
          open.push({ at: thread.at + 1, slots: thread.slots.with(instruction.slot, index) });
        else if (instruction.kind !== "position") list.push(thread);
        else if (instruction.holds(before, after)) open.push({ at: thread.at + 1, slots: thread.slots });
      }
    };
    for (const thread of threads) enter(thread.at, thread.slots);
    if (found === undefined) enter(0, empty.with(0, index));
    spend(1 + (list.length * groups) / INSTRUCTIONS_A_STEP);
    threads = [];
    for (const { at, slots } of list) {
      const instruction = program[at] as Instruction;
      if (instruction.kind === "match") {
        found = slots.with(1, index);
        break;
      }
      if (instruction.kind === "character" && after !== undefined && instruction.isOne(after))
        threads.push({ at: at + 1, slots });
    }
    if (after === undefined || (threads.length === 0 && found !== undefined)) return found;
    before = after;
    index += after.length;
  }
}

function characterBefore(text: string, index: number): string | undefined {
  if (index === 0) return undefined;
  const last = text.charCodeAt(index - 1);
  const isPair = last >= 0xdc00 && last < 0xe000 && index > 1;
  return isPair ? text.slice(index - 2, index) : text[index - 1];
}
