import type { Finding, RepositoryFile } from "../files.ts";

const PAGE = "docs/security-checklist.md";

/** Every item of the security checklist names files with a test that carries its number, or says why it comes later. */
export function checkChecklist(files: readonly RepositoryFile[]): readonly Finding[] {
  const page = files.find((file) => file.path === PAGE);
  if (page === undefined) return [{ path: PAGE, message: "is missing." }];
  const items = readItems(page.text);
  const numbers = new Set(items.map(({ number }) => number));
  const unknown = files.flatMap((file) => unknownNumbers(file, numbers));
  return [...items.flatMap((item) => checkItem(item, files)), ...unknown];
}

interface ChecklistItem {
  readonly number: string;
  /** What stands behind `Tests:`; undefined where the item says `Later:`. */
  readonly tests: string | undefined;
}

/** Items look like `- **8.** promise`, with `Tests:` or `Later:` at the start of a later line. */
function readItems(text: string): readonly ChecklistItem[] {
  return text.split(/^- (?=\*\*\d+\.\*\*)/m).flatMap((part) => {
    const number = /^\*\*(\d+)\./.exec(part)?.[1];
    if (number === undefined) return [];
    const later = /^ {2}Later: \S/m.test(part);
    return [{ number, tests: later ? undefined : (/\n {2}Tests: ([\s\S]*?)(?:\n\n|$)/.exec(part)?.[1] ?? "") }];
  });
}

function checkItem({ number, tests }: ChecklistItem, files: readonly RepositoryFile[]): Finding[] {
  if (tests === undefined) return [];
  const paths = [...tests.matchAll(/`([^`]+)`/g)].map((match) => `test/${match[1]}`);
  if (paths.length === 0) return [{ path: PAGE, message: `Item ${number} names no test.` }];
  return paths.flatMap((path) => {
    const file = files.find((other) => other.path === path);
    if (file === undefined) return [{ path: PAGE, message: `Item ${number} names ${path}, which does not exist.` }];
    // A test's title, or an attack of the hostile program.
    if (new RegExp(`["'\`]${number}\\. |^  checklist: ${number},$`, "m").test(file.text)) return [];
    return [{ path: PAGE, message: `Item ${number} names ${path}, which has no test of that number.` }];
  });
}

function unknownNumbers(file: RepositoryFile, numbers: ReadonlySet<string>): Finding[] {
  if (!file.path.startsWith("test/security/")) return [];
  return [...file.text.matchAll(/(?:test|describe)\(\s*["'`](\d+)\. /g)]
    .map((match) => match[1] as string)
    .filter((number) => !numbers.has(number))
    .map((number) => ({ path: file.path, message: `has a test for item ${number}, which ${PAGE} does not list.` }));
}
