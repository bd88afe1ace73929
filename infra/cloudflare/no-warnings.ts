import type { warningsAbout as all } from "../../lib/config/warnings.ts";

/** Stands for `lib/config/warnings.ts` on Workers, whose build and whose publishers were told all of them. */
export const warningsAbout: typeof all = () => [];
