import { parseFlags } from "../../infra/node/flags.ts";

export interface ChaosOptions {
  /** How long the server is disturbed. Judging takes its own time. */
  readonly seconds: number;
  readonly seed: number;
}

/** `[-seconds 120] [-seed N]`; the seed is a random one unless given. */
export function chaosOptions(parameters: readonly string[]): ChaosOptions {
  const { seconds = "120", seed = String(Date.now() % 1_000_000) } = parseFlags(parameters, {
    seconds: "string",
    seed: "string",
  });
  return { seconds: wholeNumber(seconds), seed: wholeNumber(seed) };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`"${text}" is not a positive whole number.`);
  return value;
}
