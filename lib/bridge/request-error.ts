/** Arguments that cannot become a request. The message names the argument and goes to the agent; values are not in it. */
export class RequestError extends Error {
  constructor(argument: string, problem: string) {
    super(`${argument}: ${problem}`);
    this.name = "RequestError";
  }
}
