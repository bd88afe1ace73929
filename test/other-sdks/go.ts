import { join } from "node:path";
import { Missing, missingIfUnreachable } from "./missing.ts";
import { runToEnd } from "./process.ts";

/** Its `go.mod` and `go.sum` name the exact module versions. */
const MODULE = join(import.meta.dirname, "go");

/** The first build compiles the standard library, too. */
const BUILD_WITHIN_S = 600;

/**
 * Builds a program of the module in `go/` or of one that it requires.
 *
 * @param source the package, by its import path or `./folder`
 * @param home a folder for the program
 * @returns the program's path
 * @throws Missing without Go, or where its modules cannot be loaded
 */
export async function buildGo(source: string, home: string): Promise<string> {
  const program = join(home, source.split("/").at(-1) ?? "program");
  const build = await runToEnd(
    {
      command: "go",
      args: ["build", "-mod=readonly", "-o", program, source],
      // Nothing is compiled by a C compiler, and no other Go is downloaded.
      variables: { CGO_ENABLED: "0", GOTOOLCHAIN: "local", GOFLAGS: "-buildvcs=false", GOWORK: "off" },
      home: MODULE,
    },
    BUILD_WITHIN_S,
  );
  if (build.code === "ENOENT") throw new Missing("There is no Go: `go` is not a program here.");
  if (/requires go >= /.test(build.output)) throw new Missing(`Go is too old: ${build.output.trim()}`);
  if (build.code !== 0) throw missingIfUnreachable(`${source} could not be built.`, build.output);
  return program;
}
