import { DESCRIPTIONS, invalidClient } from "./expectation.ts";

/** In which every kind of wrong assertion has had its turn many times, seconds. */
const LONG = 60;

/**
 * What a run of so many seconds has to meet and did not: success of each endpoint, and in a long one each refusal of an
 * assertion. A run that meets none of them shows nothing, however many requests it sends.
 *
 * @param counts how often each outcome was met, by the names of `lane.ts`
 */
export function neverMet(counts: ReadonlyMap<string, number>, seconds: number): readonly string[] {
  const met = [...counts].filter(([, times]) => times > 0).map(([outcome]) => outcome);
  return [
    ...["token 200", "introspect 200", "revoke 200"].filter((outcome) => !met.includes(outcome)),
    ...(seconds < LONG ? [] : DESCRIPTIONS.map(invalidClient)).filter(
      (refusal) => !met.some((outcome) => outcome.endsWith(` ${refusal}`)),
    ),
  ];
}
