/** One check: resolves when it passed. */
export interface Check {
  readonly name: string;
  run(): Promise<void>;
}
