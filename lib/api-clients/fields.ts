import { type Fields, readFields, textField, textListField } from "../fields.ts";
import type { ApiClientChange, ApiClientRecord } from "../stores/api-clients.ts";

/** What the owner gives when creating an API client. */
export type NewApiClient = Pick<ApiClientRecord, "name" | "scopes" | "resources"> & { readonly description?: string };

/**
 * Checks the fields of a new API client.
 * @throws ProblemError `invalid_body`, or `invalid_field` with a pointer for each fault
 */
export function parseNewApiClient(input: unknown): NewApiClient {
  const fields = readFields(input, EDITABLE);
  const name = textField(fields, "name", NAME);
  const rest = optionalFields(fields);
  fields.finish();
  return { scopes: [], resources: [], ...rest, name: name as string };
}

/**
 * Checks a JSON merge patch (RFC 7396) of an API client: absent fields stay, `description: null` empties it.
 * @throws ProblemError `invalid_body`, or `invalid_field` with a pointer for each fault
 */
export function parseApiClientChange(input: unknown): ApiClientChange {
  const fields = readFields(input, EDITABLE);
  const name = "name" in fields.object ? textField(fields, "name", NAME) : undefined;
  const rest = optionalFields(fields);
  fields.finish();
  return { ...(name !== undefined && { name }), ...rest };
}

function optionalFields(fields: Fields): ApiClientChange {
  const { description, scopes, resources } = fields.object;
  return {
    ...(description !== undefined && { description: descriptionField(fields) }),
    ...(scopes !== undefined && { scopes: textListField(fields, "scopes", MAX_ENTRIES, scopeFault) }),
    ...(resources !== undefined && { resources: textListField(fields, "resources", MAX_ENTRIES, resourceFault) }),
  };
}

function descriptionField(fields: Fields): string {
  if (fields.object.description === null) return "";
  return textField(fields, "description", DESCRIPTION) ?? "";
}

/** RFC 6749 §3.3 scope-token, and nothing that administers: that needs a person who is an owner. */
function scopeFault(scope: string): string | undefined {
  if (scope.length > 200 || !/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope)) {
    return "must be a scope token of at most 200 characters: printable ASCII without spaces, quotes and backslashes";
  }
  const subject = scope.toLowerCase().replaceAll("-", "_").split(/[:./]/)[0] as string;
  if (ADMINISTRATION.includes(subject))
    return "administers, which no API client may; only a person who is an owner can";
  return undefined;
}

/** A resource indicator (RFC 8707 §2). */
function resourceFault(resource: string): string | undefined {
  const accepted = "must be an absolute http or https URL without fragment and credentials";
  if (resource.length > 2048 || /[\s\p{Cc}#]/u.test(resource) || !/^https?:\/\//.test(resource)) return accepted;
  const url = URL.parse(resource);
  return url === null || url.username !== "" || url.password !== "" ? accepted : undefined;
}

const EDITABLE = ["name", "description", "scopes", "resources"];
const NAME = { min: 1, max: 200 };
const DESCRIPTION = { min: 0, max: 2000, multiline: true };
const MAX_ENTRIES = 100;

/** What scopes may not name before their first separator, with `-` read as `_`. */
const ADMINISTRATION: readonly string[] = [
  "api_client",
  "api_clients",
  "key_pair",
  "key_pairs",
  "member",
  "members",
  "membership",
  "memberships",
  "invitation",
  "invitations",
  "organization",
  "organizations",
  "owner",
  "owners",
  "role",
  "roles",
  "gateway_settings",
];
