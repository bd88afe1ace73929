/** Characters of a name that are told: an agent chooses names, too. */
const MAX_NAME = 100;

/** Arguments that cannot become a request. The message names the argument and goes to the agent; values are not in it. */
export class RequestError extends Error {
  constructor(argument: string, problem: string) {
    super(`${argument.length > MAX_NAME ? `${argument.slice(0, MAX_NAME).toWellFormed()}…` : argument}: ${problem}`);
    this.name = "RequestError";
  }
}
