import { described } from "./described.ts";
import { section } from "./section.ts";
import { text } from "./types.ts";

/** `store`: where the embedded server keeps its database. Workers and Lambda have their own stores. */
export const store = described(
  section({
    path: described(
      text("a folder").default("./data"),
      "The folder of the embedded database; relative to the one that the process starts in.",
      "/var/lib/countersign",
    ),
    region: described(text().optional(), "Not yet in effect: the store is of `oidcProvider.region`.", "us"),
  }).prefault({}),
  "The store of the embedded server.",
);
