/** One stage of a Dockerfile. */
export interface Stage {
  readonly name: string;
  /** With the defaults of `ARG` put in: an image, or the name of another stage. */
  readonly from: string;
  readonly steps: readonly Instruction[];
}

export interface Instruction {
  /** In upper case. */
  readonly name: string;
  readonly flags: readonly string[];
  readonly rest: string;
}

/** Reads the stages of a Dockerfile, as far as ours uses the language. */
export function readDockerfile(text: string): readonly Stage[] {
  const instructions = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(readInstruction);
  const defaults = new Map<string, string>();
  const stages: { name: string; from: string; steps: Instruction[] }[] = [];
  for (const instruction of instructions) {
    if (instruction.name === "FROM") {
      const [image = "", , name = ""] = instruction.rest.split(" ");
      stages.push({ name, from: image.replace(/^\$\{(\w+)\}$/, (_, key) => defaults.get(key) ?? ""), steps: [] });
    } else if (stages.length === 0) {
      const [key = "", value = ""] = instruction.rest.split("=");
      defaults.set(key, value);
    } else {
      stages.at(-1)?.steps.push(instruction);
    }
  }
  return stages;
}

function readInstruction(line: string): Instruction {
  const [name = "", ...words] = line.trim().split(/\s+/);
  const flags = words.slice(
    0,
    words.findIndex((word) => !word.startsWith("--")),
  );
  return { name, flags, rest: words.slice(flags.length).join(" ") };
}

/** The instructions of a name in a stage, and in those that it is made from, oldest first. */
export function stepsOf(stages: readonly Stage[], name: string, instruction: string): readonly Instruction[] {
  const stage = stages.find((one) => one.name === name);
  if (stage === undefined) return [];
  return [...stepsOf(stages, stage.from, instruction), ...stage.steps.filter((step) => step.name === instruction)];
}

/** A command in the exec form, a list in JSON; undefined: it is none, and needs a shell. */
export function execForm(rest: string | undefined): readonly string[] | undefined {
  if (rest === undefined || !rest.startsWith("[")) return undefined;
  return JSON.parse(rest) as readonly string[];
}

/** The command of the health check of a stage. */
export function healthCheck(stages: readonly Stage[], name: string): readonly string[] | undefined {
  const rest = stepsOf(stages, name, "HEALTHCHECK").at(-1)?.rest;
  return rest?.startsWith("CMD ") ? execForm(rest.slice("CMD ".length)) : undefined;
}

/** Whether `.dockerignore` keeps a path of the repository out. Knows names, folders and a leading star for any depth. */
export function isIgnored(path: string, dockerignore: string): boolean {
  const patterns = dockerignore.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return patterns.some((pattern) => {
    if (!pattern.startsWith("**/*")) return path === pattern || path.startsWith(`${pattern}/`);
    return path.endsWith(pattern.slice("**/*".length));
  });
}
