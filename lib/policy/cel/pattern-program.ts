import { type Pattern, PatternError, readPattern } from "./pattern-syntax.ts";

/** A compiled regular expression. Looking for it takes time linear in the text. */
export interface PatternProgram {
  /** Instructions; what each character of a text costs at most. */
  readonly size: number;
  /** Whether it matches somewhere in the text (CEL specification, `matches`). */
  readonly matches: (text: string) => boolean;
}

type Instruction =
  | Extract<Pattern, { kind: "character" | "position" }>
  | { readonly kind: "jump"; readonly to: readonly number[] }
  | { readonly kind: "match" };

/** Instructions of a program; counted repetitions are written out. */
const LARGEST = 2_000;

/** @throws PatternError */
export function compilePattern(source: string): PatternProgram {
  const program: Instruction[] = [];
  write(readPattern(source), program);
  add(program, { kind: "match" });
  return { size: program.length, matches: (text) => run(program, text) };
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

function writeRepeat({ part, least, most }: Extract<Pattern, { kind: "repeat" }>, program: Instruction[]): void {
  for (let count = 0; count < least; count += 1) write(part, program);
  if (most === undefined) {
    const start = program.length;
    const leave = [start + 1];
    add(program, { kind: "jump", to: leave });
    write(part, program);
    add(program, { kind: "jump", to: [start] });
    leave.push(program.length);
    return;
  }
  for (let count = least; count < most; count += 1) {
    const leave = [program.length + 1];
    add(program, { kind: "jump", to: leave });
    write(part, program);
    leave.push(program.length);
  }
}

function add(program: Instruction[], instruction: Instruction): void {
  if (program.length >= LARGEST) throw new PatternError("is too large with its repetitions written out");
  program.push(instruction);
}

/** All ways at once, a character at a time (Thompson 1968). */
function run(program: readonly Instruction[], text: string): boolean {
  const characters = [...text];
  let states: readonly number[] = [];
  for (let index = 0; index <= characters.length; index += 1) {
    const character = characters[index];
    const reached = reach([...states, 0], program, characters[index - 1], character);
    if (reached === "match") return true;
    if (character === undefined) return false;
    states = reached.filter((at) => accepts(program[at], character)).map((at) => at + 1);
  }
  return false;
}

function accepts(instruction: Instruction | undefined, character: string): boolean {
  return instruction?.kind === "character" && instruction.isOne(character);
}

/** The instructions that wait for a character once all that need none were followed. */
function reach(
  from: readonly number[],
  program: readonly Instruction[],
  before: string | undefined,
  after: string | undefined,
): readonly number[] | "match" {
  const seen = new Set<number>();
  const waiting: number[] = [];
  const open = [...from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const instruction = program[at];
    if (instruction?.kind === "match") return "match";
    if (instruction?.kind === "jump") open.push(...instruction.to);
    else if (instruction?.kind === "position") {
      if (instruction.holds(before, after)) open.push(at + 1);
    } else waiting.push(at);
  }
  return waiting;
}
