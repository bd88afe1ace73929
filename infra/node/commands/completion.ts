import { HelpRequest, parseFlags } from "../flags.ts";
import { flagHelp, USAGES } from "../help.ts";
import type { Command, CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";

/** A command, or an action of one, as a shell completes it. */
interface Completed {
  /** `validate`, or `client create`. */
  readonly words: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
}

interface CompletedFlag {
  readonly name: string;
  readonly meaning: string;
  readonly takes: "file" | "text" | "nothing";
}

const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: (commands) => `#compdef countersign\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

type Commands = Readonly<Record<string, () => Promise<{ readonly run: Command }>>>;

/** `countersign completion bash|zsh|fish`: what the shell reads to complete commands and flags, and files where a flag takes one. */
export function completionOf(all: Commands): Command {
  return async ([shell = "", ...rest], io) => {
    if (shell.startsWith("-")) parseFlags([shell], {});
    parseFlags(rest, {});
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (script === undefined)
      throw new UsageError(`countersign completion needs one of ${Object.keys(SHELLS).join(", ")}.`);
    const commands = Object.entries(USAGES).map(([words, { summary }]) => completed(words, summary, all, io));
    io.stdout(script(await Promise.all(commands)));
    return 0;
  };
}

async function completed(words: string, summary: string, all: Commands, io: CommandIo): Promise<Completed> {
  const [command = "", ...action] = words.split(" ");
  const kinds = await all[command]?.()
    .then((loaded) => loaded.run([...action, "-help"], io))
    .then(() => ({}))
    .catch((error: unknown) => {
      if (error instanceof HelpRequest) return error.kinds;
      throw error;
    });
  const flags = Object.entries({ ...kinds, help: "boolean" }).map(([name, kind]): CompletedFlag => {
    const { value, meaning } = flagHelp(name);
    const isFile = /\bFILE\b/.test(value);
    return { name, meaning, takes: kind === "boolean" ? "nothing" : isFile ? "file" : "text" };
  });
  return { words, summary, flags };
}

/** The words that may follow each command: actions of `client` and others stand behind it. */
function followers(commands: readonly Completed[]): ReadonlyMap<string, readonly string[]> {
  const following = new Map<string, string[]>([["", ["help"]]]);
  for (const { words } of commands) {
    const [command = "", action] = words.split(" ");
    const [first, known] = [following.get("") ?? [], following.get(command) ?? []];
    if (!first.includes(command)) first.push(command);
    following.set(command, action === undefined ? known : [...known, action]);
  }
  return following;
}

function bashScript(commands: readonly Completed[]): string {
  const following = followers(commands);
  const names = (flags: readonly CompletedFlag[]) => flags.map(({ name }) => `-${name}`).join(" ");
  const withValues = [
    ...new Set(commands.flatMap(({ flags }) => flags.filter(({ takes }) => takes === "text").map(({ name }) => name))),
  ];
  const files = [
    ...new Set(commands.flatMap(({ flags }) => flags.filter(({ takes }) => takes === "file").map(({ name }) => name))),
  ];
  const pattern = (flags: readonly string[]) => flags.map((name) => `-${name}|--${name}`).join("|");
  const actions = [...following].filter(([command, words]) => command !== "" && words.length > 0);
  return `_countersign() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  COMPREPLY=()
  case "$previous" in
    ${pattern(files)}) return ;;
    ${pattern(withValues)}) compopt +o default 2> /dev/null; return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${(following.get("") ?? []).join(" ")} ${names(commands.find(({ words }) => words === "serve")?.flags ?? [])}"
  else
    case "\${COMP_WORDS[1]}" in
      help) [ "$COMP_CWORD" -eq 2 ] && words="${(following.get("") ?? []).join(" ")}" ;;
      completion) [ "$COMP_CWORD" -eq 2 ] && words="${Object.keys(SHELLS).join(" ")}" ;;
${actions.map(([command, words]) => `      ${command}) [ "$COMP_CWORD" -eq 2 ] && words="${words.join(" ")}" ;;`).join("\n")}
    esac
    if [ -z "$words" ]; then
      case "\${COMP_WORDS[1]} \${COMP_WORDS[2]} " in
${commands.map(({ words, flags }) => `        "${words} "*) words="${names(flags)}" ;;`).join("\n")}
      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _countersign countersign
`;
}

function fishScript(commands: readonly Completed[]): string {
  const following = followers(commands);
  const first = [...following.keys()].filter((command) => command !== "");
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const summaryOf = (command: string) =>
    commands.find(({ words }) => words === command)?.summary ?? (following.get(command) ?? []).join(", ");
  const lines = first.map(
    (command) => `complete -c countersign -f -n __fish_use_subcommand -a ${command} -d ${quoted(summaryOf(command))}`,
  );
  for (const { words, summary, flags } of commands) {
    const [command = "", action] = words.split(" ");
    const others = (following.get(command) ?? []).join(" ");
    const isCommand = `__fish_seen_subcommand_from ${command}`;
    if (action !== undefined) {
      const at = quoted(`${isCommand}; and not __fish_seen_subcommand_from ${others}`);
      lines.push(`complete -c countersign -f -n ${at} -a ${action} -d ${quoted(summary)}`);
    }
    const at = quoted(action === undefined ? isCommand : `${isCommand}; and __fish_seen_subcommand_from ${action}`);
    for (const { name, meaning, takes } of flags) {
      const value = takes === "file" ? " -r -F" : takes === "text" ? " -x" : "";
      lines.push(`complete -c countersign -f -n ${at} -o ${name}${value} -d ${quoted(meaning)}`);
    }
  }
  const shells = Object.keys(SHELLS).join(" ");
  lines.push(`complete -c countersign -f -n '__fish_seen_subcommand_from completion' -a ${quoted(shells)}`);
  return `${lines.join("\n")}\n`;
}
