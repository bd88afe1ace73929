import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { PersonRecord } from "../../../lib/stores/directory.ts";
import type { Database } from "./database.ts";
import { keyAttributes } from "./items.ts";
import { emailKey, personKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { putNew } from "./writes.ts";

/** How many memberships a person has. A former release gave each exactly one, and did not write it down. */
interface ItemOfPerson extends PersonRecord {
  readonly memberships?: number;
}

export async function readPerson(database: Database, userId: string): Promise<PersonRecord | undefined> {
  return (await readMemberOf(database, userId))?.person;
}

/** A person with the number of their memberships. */
export async function readMemberOf(
  database: Database,
  userId: string,
): Promise<{ readonly person: PersonRecord; readonly memberships: number } | undefined> {
  const item = await readRecord<ItemOfPerson>(database, "records", personKey(userId));
  if (item === undefined) return undefined;
  const { memberships = 1, ...person } = item;
  return { person, memberships };
}

/** The write of a new person, who gets a membership at the same time. */
export function newPerson(database: Database, person: PersonRecord): TransactWriteItem {
  return putNew(database, personKey(person.userId), { ...person, memberships: 1 });
}

/** Lets `findPersonByEmail` find the person. One who was invited has the address as a name alone (D167). */
export function heldAddress(database: Database, { email, userId }: PersonRecord): TransactWriteItem {
  return putNew(database, emailKey(email), { userId });
}

/** Frees the address, where the person holds it. */
export async function freedAddress(
  database: Database,
  { email, userId }: PersonRecord,
): Promise<TransactWriteItem | undefined> {
  const held = await readRecord<{ userId: string }>(database, "records", emailKey(email));
  if (held?.userId !== userId) return undefined;
  return { Delete: { TableName: database.tables.records, Key: keyAttributes(emailKey(email)) } };
}

/** Counts a membership more. Its condition fails when there is no such person. */
export function oneMembershipMore(database: Database, userId: string): TransactWriteItem {
  return {
    Update: {
      TableName: database.tables.records,
      Key: keyAttributes(personKey(userId)),
      UpdateExpression: "SET memberships = if_not_exists(memberships, :one) + :one",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":one": { N: "1" } },
    },
  };
}

/** Counts a membership less; the last one takes the person along. Its condition fails when there are not so many. */
export function oneMembershipLess(database: Database, userId: string, memberships: number): TransactWriteItem {
  const person = { TableName: database.tables.records, Key: keyAttributes(personKey(userId)) };
  const read = { ":read": { N: String(memberships) } };
  if (memberships === 1) {
    const ConditionExpression = "attribute_exists(pk) AND (attribute_not_exists(memberships) OR memberships = :read)";
    return { Delete: { ...person, ConditionExpression, ExpressionAttributeValues: read } };
  }
  return {
    Update: {
      ...person,
      UpdateExpression: "ADD memberships :less",
      ConditionExpression: "memberships = :read",
      ExpressionAttributeValues: { ...read, ":less": { N: "-1" } },
    },
  };
}
