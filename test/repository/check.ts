import { NoRepositoryError, readRepository } from "./files.ts";
import { checkChecklist } from "./rules/checklist.ts";
import { checkDependencies } from "./rules/dependencies.ts";
import { checkGenerated } from "./rules/generated.ts";
import { checkLayers } from "./rules/layers.ts";
import { checkLengths, describeLengths } from "./rules/lengths.ts";
import { checkLinks } from "./rules/links.ts";
import { checkLockfiles } from "./rules/lockfiles.ts";
import { checkMarks } from "./rules/marks.ts";
import { checkShellBlocks } from "./rules/shell-blocks.ts";
import { checkSite } from "./rules/site.ts";
import { checkWords } from "./rules/words.ts";

/** What Biome and the compiler cannot know about the repository. Exit code 1 when a rule is broken. */
const rules = [
  checkLockfiles,
  checkDependencies,
  checkMarks,
  checkWords,
  checkLengths,
  checkLayers,
  checkLinks,
  checkShellBlocks,
  checkSite,
  checkChecklist,
  checkGenerated,
] as const;

const files = readOrExplain();
const findings = rules.flatMap((rule) => rule(files));
for (const { path, line, message } of findings)
  console.error(`${path}${line === undefined ? "" : `:${line}`}  ${message}`);
console.log(describeLengths(files));
console.log(`Repository: ${files.length} files, ${rules.length} rules, ${findings.length} findings.`);
process.exitCode = findings.length === 0 ? 0 : 1;

/** Which files are the project's is what git knows. */
function readOrExplain(): ReturnType<typeof readRepository> {
  try {
    return readRepository();
  } catch (error) {
    if (!(error instanceof NoRepositoryError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
