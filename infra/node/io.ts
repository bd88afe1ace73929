import { hasCode } from "./files/file-error.ts";

/** What a command may touch of its process; a test gives its own. */
export interface CommandIo {
  /** Machine-readable output; the text is written as it is. */
  readonly stdout: (text: string) => void;
  /** Everything else; the text is written as it is. */
  readonly stderr: (text: string) => void;
  /** How wide the terminal behind stdout is; absent when there is none. */
  readonly columns?: number | undefined;
  /** Text in a style, where that output is a terminal that shows it (NO_COLOR, FORCE_COLOR); absent: nowhere. */
  readonly style?: (output: "stdout" | "stderr", format: "bold" | "red" | "yellow", text: string) => string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A command: its arguments without its name, resolves to the exit code. */
export type Command = (args: readonly string[], io: CommandIo) => Promise<number>;

/**
 * The reader of the output may stop early, as `| head` does. Then the rest is dropped, and that is no error.
 * @param codes of the system's errors that drop what is written
 */
export function endQuietly(output: NodeJS.WritableStream, codes: readonly string[]): void {
  output.on("error", (error) => {
    if (!codes.some((code) => hasCode(error, code))) throw error;
  });
}
