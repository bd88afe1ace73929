import type { hintsAbout as all } from "../../lib/config/warnings/hints.ts";

/** Stands for `lib/config/warnings/hints.ts` on Workers, whose build and whose publishers are told. */
export const hintsAbout: typeof all = () => [];
