import { readFileSync } from "node:fs";
import type { Catalog } from "../../lib/openapi/catalog.ts";
import { createFindTools } from "../../lib/search/find-tools.ts";

/** Files of questions: those that the search is held to, and others that it was not made with. */
export const QUESTIONS = "search-questions.json";
export const HELD_OUT = "search-held-out.json";

/** How many hits an agent looks at. */
const FIRST = 5;
/** Part of the questions whose operation has to be among them. */
export const SEARCH_TARGET = 0.9;

/** In plain English, each with the operations that are right, by operationId. Written before the ranking was. */
interface Question {
  readonly app: string;
  readonly question: string;
  readonly operations: readonly string[];
}

export interface SearchQuality {
  readonly asked: number;
  /** Of those the ones whose operation was among the first five. */
  readonly found: number;
  readonly missed: readonly MissedQuestion[];
}

export interface MissedQuestion {
  readonly question: string;
  readonly operations: readonly string[];
  /** Place of the right operation, from 1; 0 where it was not found. */
  readonly place: number;
  /** What was found instead, by operationId. */
  readonly instead: readonly string[];
}

/**
 * Asks the questions about a document.
 *
 * @param file one of the two above
 * @param app as the questions call it: `github` or `openai`; there are none about others
 */
export function searchQuality(file: string, app: string, { tools }: Pick<Catalog, "tools">): SearchQuality {
  const questions = readQuestions(file).filter((question) => question.app === app);
  const find = createFindTools(tools.map((tool) => ({ tool, app: { name: app } })));
  const localNames = new Map(tools.map(({ name, localName }) => [name, localName]));
  const answers = questions.map(({ question, operations }) => {
    const found = find(question).map((name) => localNames.get(name) ?? name);
    const place = found.findIndex((name) => operations.includes(name)) + 1;
    return { question, operations, place, instead: found.slice(0, FIRST) };
  });
  const missed = answers.filter(({ place }) => place === 0 || place > FIRST);
  return { asked: answers.length, found: answers.length - missed.length, missed };
}

function readQuestions(file: string): readonly Question[] {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"));
}
