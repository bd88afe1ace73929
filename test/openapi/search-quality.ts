import { readFileSync } from "node:fs";
import type { Catalog } from "../../lib/openapi/catalog.ts";
import { createFindTools } from "../../lib/search/find-tools.ts";

/**
 * Files of questions. The search was made with `tuning`; of the other half nobody knew what was found before the ranking
 * was done. `older` and `olderHeldOut` are the same of a ranking before, about two of the documents.
 */
export const QUESTION_FILES = {
  tuning: "search-recall.json",
  heldOut: "search-recall-held-out.json",
  older: "search-questions.json",
  olderHeldOut: "search-held-out.json",
} as const;

/** In plain English, each with the operations that are right, by operationId. Written before the ranking was. */
export interface SearchQuestion {
  /** The document's name without `.json`. */
  readonly app: string;
  readonly question: string;
  readonly operations: readonly string[];
}

export interface SearchAnswer extends SearchQuestion {
  /** Place of the first right operation, from 1; Infinity where none was found. */
  readonly place: number;
}

/** The names of the tools that have something to do with a question, the best first. */
export type FindNames = (question: string) => readonly string[];

export function questionsOf(file: keyof typeof QUESTION_FILES): readonly SearchQuestion[] {
  return JSON.parse(readFileSync(new URL(QUESTION_FILES[file], import.meta.url), "utf8"));
}

/**
 * Asks what a file has about a document.
 *
 * @param find by default the search that agents have
 */
export function answersAbout(
  app: string,
  catalog: Catalog,
  questions: readonly SearchQuestion[],
  find: FindNames = searchOf(app, catalog),
): readonly SearchAnswer[] {
  const localNames = new Map(catalog.tools.map(({ name, localName }) => [name, localName]));
  const asked = questions.filter((question) => question.app === app);
  return asked.map((question) => {
    const at = find(question.question).findIndex((name) => question.operations.includes(localNames.get(name) ?? name));
    return { ...question, place: at < 0 ? Number.POSITIVE_INFINITY : at + 1 };
  });
}

export function searchOf(app: string, catalog: Catalog): FindNames {
  return createFindTools(catalog.tools.map((tool) => ({ tool, app: { name: app, catalog } })));
}

/** How many answers have a right operation among the first. */
export function foundAmong(first: number, answers: readonly SearchAnswer[]): number {
  return answers.filter(({ place }) => place <= first).length;
}
