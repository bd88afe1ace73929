import type { UseFormReturnType } from "@mantine/form";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { Instance } from "../../../lib/management/schemas/instance.ts";

/** What an owner edits of an API client. */
export interface ClientValues {
  readonly name: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
}

export type ClientField = keyof ClientValues;

export const NO_VALUES: ClientValues = { name: "", description: "", scopes: [], resources: [] };

const FIELDS: readonly ClientField[] = ["name", "description", "scopes", "resources"];

export function valuesOf({ name, description, scopes, resources }: ApiClient): ClientValues {
  return { name, description, scopes, resources };
}

/** The fields in which two states differ. Scopes and audiences are sets: their order says nothing. */
export function differingFields(one: ClientValues, other: ClientValues): readonly ClientField[] {
  return FIELDS.filter((field) => textOf(one[field]) !== textOf(other[field]));
}

/** Only what differs from before: what somebody else changed meanwhile is left alone (RFC 7396). */
export function changeOf(before: ClientValues, after: ClientValues): Partial<ClientValues> {
  return Object.fromEntries(differingFields(before, after).map((field) => [field, after[field]]));
}

/** One's own changes of an earlier state on top of a newer one. */
export function rebased(before: ClientValues, own: ClientValues, newer: ClientValues): ClientValues {
  return { ...newer, ...changeOf(before, own) };
}

/** Whether any of these scopes is for a tool: every one that is no permission of the management API. */
export function hasToolScope(scopes: readonly string[], instance: Pick<Instance, "scopes">): boolean {
  const management = instance.scopes.filter(({ kind }) => kind === "management").map(({ scope }) => scope);
  return scopes.some((scope) => !management.includes(scope));
}

function textOf(value: string | readonly string[]): string {
  return typeof value === "string" ? value.trim() : JSON.stringify(value.toSorted());
}

export type ClientForm = UseFormReturnType<ClientValues>;
