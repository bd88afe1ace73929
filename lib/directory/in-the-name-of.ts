import type { Dependencies } from "../dependencies.ts";
import { ProblemError } from "../problem.ts";

/**
 * Work in the name of a person who was there a moment ago. Where it fails because they left their last organization
 * meanwhile, that is no defect.
 * @throws ProblemError `forbidden` then; else the error of the work
 */
export async function inTheNameOf<Result>(
  { stores }: Pick<Dependencies, "stores">,
  userId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if ((await stores.directory.getPerson(userId)) !== undefined) throw error;
    throw noOrganization(error);
  }
}

/** For somebody who belongs to none any more, and so is nobody here. */
export function noOrganization(cause?: unknown): ProblemError {
  return new ProblemError("forbidden", "You belong to no organization.", { cause });
}
