/** The languages of the pages that people see, and of `scopeDescriptions`. The first is for everybody who names no other. */
export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text of the operator: one for all languages, or one for each. English stands in for a language that has none. */
export type LocalizedText = string | ({ readonly en: string } & { readonly [Other in Language]?: string | undefined });

export function textIn(text: LocalizedText, language: Language): string {
  return typeof text === "string" ? text : (text[language] ?? text.en);
}

/**
 * The first language of `ui_locales` that there is: tags of RFC 5646 in the order of preference, with spaces in between (OpenID
 * Connect Core 1.0 §3.1.2.1). Undefined: none of them, and that is no error.
 */
export function languageOfLocales(locales: string | undefined): Language | undefined {
  return firstKnown(locales?.slice(0, LONGEST).split(" ") ?? []);
}

/**
 * The language that an `Accept-Language` wants most (RFC 9110 §12.5.4), found by the lookup of RFC 4647 §3.4. Ranges of the same
 * weight count in their order, and what weighs nothing is not wanted. `*` says nothing of a language, and is passed over.
 */
export function languageOfHeader(header: string | null | undefined): Language {
  const ranges = (header ?? "").slice(0, LONGEST).split(",").map(weighed);
  const wanted = ranges.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight);
  const unwanted = ranges.filter(({ weight }) => weight === 0).map(({ range }) => range);
  return firstKnown(wanted.map(({ range }) => range).filter((range) => !unwanted.includes(range))) ?? LANGUAGES[0];
}

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value);
}

/** Characters: whoever sends more gets what the first of them say. */
const LONGEST = 1_000;

function weighed(text: string): { readonly range: string; readonly weight: number } {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  if (quality === undefined) return { range, weight: 1 };
  return { range, weight: WEIGHT.test(quality.slice(2)) ? Number(quality.slice(2)) : 0 };
}

/** RFC 9110 §12.4.2. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** A range is cut at its end until it is a language of ours. As these are no more than a language, its first part decides. */
function firstKnown(ranges: readonly string[]): Language | undefined {
  for (const range of ranges) {
    const primary = range.split("-", 1)[0]?.toLowerCase();
    if (isLanguage(primary)) return primary;
  }
  return undefined;
}
