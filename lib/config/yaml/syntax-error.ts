import { type Document, type ErrorCode, isCollection, isPair, isScalar, type Node, type YAMLError } from "yaml";

const MAX_ERRORS = 50;

const TEXT: Readonly<Partial<Record<ErrorCode, string>>> = {
  ALIAS_PROPS: "an alias cannot carry an anchor or a tag",
  BAD_ALIAS: "an alias names no anchor before it",
  BAD_DIRECTIVE: "a malformed directive",
  BAD_DQ_ESCAPE: "an escape that double-quoted text does not know",
  BAD_INDENT: "indentation that fits no level",
  BAD_SCALAR_START: "plain text cannot start like this; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a nested mapping where a key or a value on one line is expected",
  BLOCK_IN_FLOW: "a block inside [ ] or { }",
  DUPLICATE_KEY: "a key stands twice in one mapping",
  KEY_OVER_1024_CHARS: "a key of more than 1024 characters",
  MISSING_CHAR: "a missing character: a colon, comma, closing bracket or quote, or a space after one",
  MULTILINE_IMPLICIT_KEY: "a key over several lines",
  MULTIPLE_DOCS: "more than one YAML document",
  NON_STRING_KEY: "a key that is not text",
  RESOURCE_EXHAUSTION: "nested too deeply",
  TAB_AS_INDENT: "a tab as indentation; use spaces",
  TAG_RESOLVE_FAILED: "a tag; tags are not supported",
  UNEXPECTED_TOKEN: "text where none is expected; a value that starts with {{ or has more than one may need quotes",
};

interface Kind {
  readonly pattern: RegExp;
  readonly text: string;
  /** The parser tells of an end that it missed; the mistake is more likely where that was opened. */
  readonly isOpen?: boolean;
}

/** What one code has several kinds of, by the parser's words. */
const KINDS: readonly Kind[] = [
  {
    pattern: /^Flow (?:map|sequence) in block collection must/,
    text: "[ ] or { } that is not closed, or whose lines are not indented",
    isOpen: true,
  },
  { pattern: /^Flow (?:map|sequence) must end/, text: "[ ] or { } that is not closed", isOpen: true },
  {
    pattern: /^Missing closing/,
    text: "text in quotes that is not closed, or whose lines are not indented",
    isOpen: true,
  },
  {
    pattern: /^Sequence item without - indicator/,
    text: "a line in a list that neither begins with - nor is indented like the keys of an item",
  },
  { pattern: /^Implicit map keys need to be followed/, text: "a key without a colon, or without a space after that" },
];

/** A mistake in the form of the text, in our own words: the parser's can quote the document, which may hold secrets. */
export interface SyntaxMistake {
  readonly offset: number;
  readonly message: string;
}

/** What the parser found, one mistake at each place; a bracket or quote that is not closed is told where it was opened. */
export function syntaxMistakes(document: Document, problems: readonly YAMLError[]): readonly SyntaxMistake[] {
  // Every level around the one that is too deep ends in this error, too.
  const tooDeep = problems.find(({ code }) => code === "RESOURCE_EXHAUSTION");
  const told = tooDeep === undefined ? oneAtEach(problems) : [tooDeep];
  return told.slice(0, MAX_ERRORS).map((problem) => {
    const { code, pos } = problem;
    const kind = kindOf(problem);
    const missed = problems.filter((other) => other.pos[0] === pos[0] && kindOf(other)?.isOpen).length;
    const opened = kind?.isOpen ? openedAt(document, pos[0], missed) : undefined;
    return { offset: opened ?? pos[0], message: `invalid YAML: ${kind?.text ?? TEXT[code] ?? "a malformed value"}` };
  });
}

/** What follows from an open bracket is told at the same place. */
function oneAtEach(problems: readonly YAMLError[]): readonly YAMLError[] {
  const byOffset = new Map<number, YAMLError>();
  for (const problem of problems) {
    const [offset] = problem.pos;
    const former = byOffset.get(offset);
    if (former === undefined || (kindOf(problem)?.isOpen && !kindOf(former)?.isOpen)) byOffset.set(offset, problem);
  }
  return [...byOffset.values()];
}

function kindOf({ message }: YAMLError): Kind | undefined {
  return KINDS.find(({ pattern }) => pattern.test(message));
}

/**
 * Where brackets or quotes were opened whose end the parser missed at an offset: the innermost that it did not see closed.
 * @param missed how many ends it missed there
 */
function openedAt(document: Document, offset: number, missed: number): number | undefined {
  const starts = endingAt(document, offset).toSorted((a, b) => b - a);
  return starts[Math.max(0, starts.length - missed)];
}

/** Where those begin that end at an offset; without recursion, as they can be nested as deep as the parser goes. */
function endingAt(document: Document, offset: number): readonly number[] {
  const starts: number[] = [];
  const waiting: unknown[] = [document.contents];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isPair(node)) waiting.push(node.key, node.value);
    else if (isCollection(node)) {
      waiting.push(...node.items);
      if (node.flow === true) addStart(node);
    } else if (isScalar(node) && node.type?.startsWith("QUOTE_")) addStart(node);
  }
  return starts;

  function addStart({ range }: Node): void {
    if (range?.[1] === offset) starts.push(range[0]);
  }
}
