import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";
import { useConnection } from "../../api/context.ts";
import { keyOf } from "../../api/keys.ts";
import type { ApiProblem } from "../../api/problem.ts";
import type { Answer } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { bodyOf, type Changes, differences, namesOf, rebased, withChange } from "./draft.ts";
import { fieldErrors, type SettingErrors } from "./field-errors.ts";
import type { SettingName, SettingValue } from "./settings.ts";

export const SETTINGS_PATH = "/gateway-settings";

interface Edit {
  /** What was shown when the first change was made. */
  readonly base: Answer<GatewaySettings>;
  readonly changes: Changes;
}

export type SettingsForm = ReturnType<typeof useSettingsForm>;

/** The settings with what is typed and not saved. It is kept whatever happens to what is stored. */
export function useSettingsForm(latest: Answer<GatewaySettings>) {
  const { organization } = useConnection();
  const queries = useQueryClient();
  const [edit, setEdit] = useState<Edit>();
  const [errors, setErrors] = useState<SettingErrors>({});
  const [problem, setProblem] = useState<ApiProblem>();
  const [savedAs, setSavedAs] = useState<string>();
  // A second click may come before anything is drawn anew.
  const isUnderWay = useRef(false);
  const { base, changes } = edit ?? { base: latest, changes: {} };
  const { settings } = base.body;
  const put = useSend<GatewaySettings>(
    () => ({ method: "PUT", path: SETTINGS_PATH, body: bodyOf(settings, changes), ifMatch: latest.etag }),
    { refreshes: [SETTINGS_PATH, "/instance", "/overview", "/upstreams"] },
  );

  const adopt = (answer: Answer<GatewaySettings>) => setEdit((former) => former && editOf(answer, former.changes));
  const saved = (answer: Answer<GatewaySettings>) => {
    queries.setQueryData(keyOf(organization.current(), SETTINGS_PATH), answer);
    setSavedAs(answer.etag);
    adopt(answer);
  };
  const refused = (error: ApiProblem) => {
    const found = fieldErrors(error);
    setErrors(found.errors);
    setProblem(found.rest);
    if (error.status === 412)
      void queries.invalidateQueries({ queryKey: keyOf(organization.current(), SETTINGS_PATH) });
  };
  return {
    settings,
    changes,
    changed: namesOf(changes),
    errors,
    problem,
    /** What somebody else has changed since the first of these changes. */
    foreign: edit === undefined ? [] : differences(settings, latest.body.settings),
    latest: latest.body,
    isSaved: savedAs !== undefined && savedAs === latest.etag && edit === undefined,
    isSaving: put.isPending,
    /** `null`: back to the configuration file; `undefined`: as it is stored. */
    change: (name: SettingName, value: SettingValue | null | undefined) => {
      setErrors(({ [name]: _, ...others }) => others);
      setSavedAs(undefined);
      setEdit(editOf(base, withChange(settings, changes, name, value)));
    },
    discard: () => {
      setErrors({});
      setProblem(undefined);
      setEdit(undefined);
    },
    /** Puts these changes on top of those of somebody else. */
    keepMine: () => {
      setProblem(undefined);
      adopt(latest);
    },
    save: (onEnd: () => void) => {
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      setProblem(undefined);
      const ended = () => {
        isUnderWay.current = false;
        onEnd();
      };
      put.mutate(undefined, { onSuccess: saved, onError: refused, onSettled: ended });
    },
  };
}

function editOf(base: Answer<GatewaySettings>, changes: Changes): Edit | undefined {
  const left = rebased(base.body.settings, changes);
  return namesOf(left).length === 0 ? undefined : { base, changes: left };
}

export interface SettingFieldProps {
  readonly name: SettingName;
  readonly form: SettingsForm;
}
