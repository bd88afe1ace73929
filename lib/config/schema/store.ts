import { section } from "./section.ts";
import { text } from "./types.ts";

/** `store`: where the embedded server keeps its database. Workers and Lambda have their own stores. */
export const store = section(
  { path: text("a folder").default("./data") },
  { region: "a region apart from oidcProvider.region" },
).prefault({});
