import type { Maintenance } from "../../health/component.ts";
import type { Clock } from "../../kernel/clock.ts";
import { createRateLimit } from "../../kernel/rate-limit.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Settings, SettingsRecord } from "../../stores/settings.ts";
import type { Configuration, ConfigurationSnapshot } from "../configuration.ts";
import { ConfigurationError, type ConfigurationMessage, formatMessage } from "../messages.ts";
import { allOverrides, gatewayPart } from "../overrides/overrides.ts";
import { overrideProblems } from "../overrides/rules.ts";
import { type LeftOut, withOverrides } from "../overrides/with-overrides.ts";
import { pathText } from "../path.ts";
import { withoutUnknownApps } from "./known-apps.ts";
import {
  type ConfiguredSettings,
  GATEWAY_SETTINGS,
  type GatewaySettings,
  isAtOrBelow,
  isSameSetting,
  type ResolvedDocument,
  SETTING_NAMES,
  type SettingName,
  type SettingProblem,
  type SettingValues,
  settingValues,
} from "./settings.ts";
import { createSettingsPoller } from "./settings-poller.ts";

export interface FollowOptions {
  readonly settings: Pick<Settings, "readSettings">;
  /** The state of the YAML document at the moment; it has an `mcpProvider`. */
  readonly document: () => ResolvedDocument;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of each new snapshot when it is in use. */
  readonly onReplaced: (snapshot: ConfigurationSnapshot, replacement: Replacement) => void;
}

/** What another snapshot comes from. */
export interface Replacement {
  /** The document and the gateway's settings are the same. */
  readonly isOfOverridesAlone: boolean;
}

/** A configuration that follows the stored settings. */
export interface FollowedSettings {
  readonly snapshot: () => ConfigurationSnapshot;
  /** Looks at the store when it is time. */
  readonly refresh: (maintenance: Maintenance) => void;
  /** Rejects with ConfigurationError when what is stored does not fit a document: with it, no gateway would be served. */
  readonly mustFit: (document: ResolvedDocument) => Promise<void>;
  /** To be called when the document is in another state. */
  readonly documentReplaced: () => Promise<void>;
  readonly gatewaySettings: GatewaySettings;
}

/** Of an organization to change its overrides. */
const ATTEMPTS = { capacity: 30, perSecond: 0.5 };

/** Begins with what is stored now. Rejects when that cannot be read. */
export async function followSettings(options: FollowOptions): Promise<FollowedSettings> {
  const { settings, document, clock, logger, onReplaced } = options;
  const first = await settings.readSettings();
  const composed = await compose(document(), first, logger);
  let current = { snapshot: { revision: 1, configuration: composed.configuration }, record: first, composed };
  const attempts = createRateLimit(clock, ATTEMPTS);
  let begun = 0;
  let applied = 0;

  /** Of what was begun later than this nothing is undone. */
  async function apply(record: SettingsRecord, number: number): Promise<void> {
    const composed = await compose(document(), record, logger, current.composed);
    if (number < applied) return;
    applied = number;
    const revision = current.snapshot.revision + 1;
    const snapshot = { revision, configuration: composed.configuration };
    const isOfOverridesAlone = composed.base === current.composed.base;
    current = { snapshot, record, composed };
    onReplaced(snapshot, { isOfOverridesAlone });
  }

  const poller = createSettingsPoller(
    async (signal) => {
      const number = ++begun;
      const found = await settings.readSettings();
      // Another revision is not always a later one: a backup may have been restored.
      if (signal?.aborted || number < applied || found.revision === current.record.revision) return;
      await apply(found, number);
    },
    { clock, logger },
  );

  return {
    snapshot: () => current.snapshot,
    refresh: ({ waitUntil, signal }) => {
      if (poller.isDue()) waitUntil(poller.poll(signal));
    },
    mustFit: async (document) => {
      const values = settingValues(current.record.values);
      if (Object.keys(values).length === 0) return;
      await document.resolveWith(withoutUnknownApps(values, values, appNames(document)).values);
    },
    documentReplaced: () => apply(current.record, ++begun),
    gatewaySettings: {
      configured: () => document().configured as ConfiguredSettings,
      appliedRevision: () => (current.composed.isValid ? gatewayPart(current.record).revision : undefined),
      check: (values, former) => settingProblems(document(), values, former),
      overrides: {
        overridable: () => document().configuration.overridable ?? [],
        check: (values, organization) => overrideProblems(values, organization, document().configuration),
        takeAttempt: (id) => attempts.take(id),
        leftOut: (id) => current.composed.leftOut.filter(({ organizationId }) => organizationId === id),
        appliedRevision: () => current.record.revision,
      },
      use: async (record) => {
        if (record.revision > current.record.revision) await apply(record, ++begun);
      },
      upToDate: poller.upToDate,
    },
  };
}

type Resolver = Pick<ResolvedDocument, "resolveWith" | "configuration">;

function appNames({ configuration }: Pick<ResolvedDocument, "configuration">): ReadonlySet<string> {
  return new Set(configuration.apps.map(({ name }) => name));
}

/**
 * What is wrong with settings that would follow `former` ones. A mistake at another place of the configuration is told at
 * each changed setting without whose change it would not be there.
 */
async function settingProblems(
  document: Resolver,
  given: SettingValues,
  former: SettingValues,
): Promise<readonly SettingProblem[]> {
  // A limit that is there already does not stand in the way of another change.
  const { values } = withoutUnknownApps(given, former, appNames(document));
  const messages = await mistakes(document, values);
  const own = messages.filter(({ path }) => settingAt(path) !== undefined);
  const elsewhere = messages.filter(({ path }) => settingAt(path) === undefined);
  return [
    ...own.map(({ path, message }) => ({ ...settingAt(path), detail: message })),
    ...(elsewhere.length > 0 ? await blamed(document, elsewhere, values, former) : []),
  ];
}

async function blamed(
  document: Resolver,
  messages: readonly ConfigurationMessage[],
  values: SettingValues,
  former: SettingValues,
): Promise<readonly SettingProblem[]> {
  const trials: { readonly name: SettingName; readonly paths: ReadonlySet<string> }[] = [];
  for (const name of SETTING_NAMES.filter((one) => !isSameSetting(values[one], former[one]))) {
    const left = await mistakes(document, { ...values, [name]: former[name] });
    trials.push({ name, paths: new Set(left.map(({ path }) => path)) });
  }
  return messages.flatMap(({ path, message }): readonly SettingProblem[] => {
    const detail = `does not fit the rest of the configuration: ${path}: ${message}`;
    const causes = trials.filter(({ paths }) => !paths.has(path));
    return causes.length === 0 ? [{ detail }] : causes.map(({ name }) => ({ name, detail }));
  });
}

async function mistakes(
  { resolveWith }: Pick<Resolver, "resolveWith">,
  values: SettingValues,
): Promise<readonly ConfigurationMessage[]> {
  try {
    await resolveWith(values);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.messages;
    throw error;
  }
}

function settingAt(place: string): Pick<SettingProblem, "name" | "below"> | undefined {
  for (const { name, path } of GATEWAY_SETTINGS) {
    const whole = pathText(path);
    if (!isAtOrBelow(place, whole)) continue;
    const below = place.slice(whole.length).replaceAll(/\[(\d+)\]|\.([^.[]+)/g, "/$1$2");
    return { name, ...(below !== "" && { below }) };
  }
  return undefined;
}

/** The document with the gateway's settings alone. */
interface Base {
  readonly document: ResolvedDocument;
  readonly stored: SettingValues;
  readonly configuration: Configuration;
  /** False: the settings do not fit, and the gateway is left out: without them it may be open to whoever reaches it. */
  readonly isValid: boolean;
}

interface Composed {
  readonly configuration: Configuration;
  readonly isValid: boolean;
  /** Of what organizations have set. */
  readonly leftOut: readonly LeftOut[];
  readonly base: Base;
}

/** The document with all that is stored. What is wrong with that is logged: of what organizations have set, once. */
async function compose(
  document: ResolvedDocument,
  record: SettingsRecord,
  logger: Logger,
  former?: Composed,
): Promise<Composed> {
  const stored = settingValues(record.values);
  const isKnown = former?.base.document === document && isSameSetting(former.base.stored, stored);
  const base = isKnown ? former.base : await composeGateway(document, record, logger);
  const { configuration, leftOut } = withOverrides(base.configuration, allOverrides(record));
  const told = new Set(former?.leftOut.map(toldOf));
  for (const one of leftOut.filter((other) => !told.has(toldOf(other)))) {
    const { organizationId, path, message } = one;
    logger.warn("configuration override of an organization is not in use", {
      organizationId,
      path: pathText(path),
      detail: message,
    });
  }
  return { configuration, isValid: base.isValid, leftOut, base };
}

function toldOf({ organizationId, path, message }: LeftOut): string {
  return JSON.stringify([organizationId, path, message]);
}

/** The document with the stored settings of the gateway. What is wrong with these is logged. */
async function composeGateway(document: ResolvedDocument, record: SettingsRecord, logger: Logger): Promise<Base> {
  const stored = settingValues(record.values);
  const base = { document, stored };
  if (Object.keys(stored).length === 0) return { ...base, configuration: document.configuration, isValid: true };
  const { values, unknown } = withoutUnknownApps(stored, stored, appNames(document));
  for (const { limit, apps } of unknown) {
    logger.warn("a limit of the Console is about apps that the configuration does not have", {
      limit,
      apps: apps.join(", "),
    });
  }
  try {
    return { ...base, configuration: await document.resolveWith(values), isValid: true };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const message of error.messages) {
      logger.error("the stored gateway settings do not fit the configuration; no gateway is served", {
        settingsRevision: record.revision,
        detail: formatMessage(message),
      });
    }
    const { mcpProvider: _, ...configuration } = document.configuration;
    return { ...base, configuration, isValid: false };
  }
}
