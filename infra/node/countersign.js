#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// The command as it is installed. JavaScript, so that nothing needs its types removed before the cache is there: with the
// sources' compiled form on disk, the server starts in less time and without the memory of the compiler. Where the folder
// cannot be written, it starts all the same. Threads read the variable.
process.env.NODE_COMPILE_CACHE ||= fileURLToPath(new URL("../../node_modules/.cache/countersign", import.meta.url));
enableCompileCache(process.env.NODE_COMPILE_CACHE);
await import("./cli.ts");
