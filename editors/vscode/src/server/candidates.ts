// Where the language server may be installed, and whether what lies there works. Knows files and processes, but no editor.

import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

/** The oldest server that this extension works with. */
export const MINIMUM = "0.1.0";
export const SERVER = "boruna-lsp";
const VERSION = /^boruna-ls (\d+)\.(\d+)\.(\d+)\S*$/m;
const PATIENCE = 20_000;
const MOST_OUTPUT = 64 << 10;

/** What the search depends on. */
export interface Surroundings {
  /** The setting `boruna.server.path`: a path, a name, or "" to search. */
  chosen: string;
  /** Arguments of a chosen command: what it is asked for its version with. */
  chosenArguments: string[];
  /** The workspace's folders on disk; only those of a trusted workspace may hold a server. */
  folders: string[];
  trusted: boolean;
  /** The Python interpreter that the Python extension has selected. */
  interpreter: string | undefined;
  environment: NodeJS.ProcessEnv;
  home: string;
  /** A folder of this extension's own: holds the private installation, and no configuration of anybody. */
  storage: string;
}

export interface Candidate {
  command: string;
  /** For people: where it was found. */
  origin: string;
}

export interface Found extends Candidate {
  /** "" for a chosen command that does not tell. */
  version: string;
}

export interface Rejected extends Candidate {
  reason: string;
  /** Its version, if it is only too old. */
  old?: string;
}

export interface Search {
  found?: Found;
  rejected: Rejected[];
}

/** The first server that works, and why each one before it does not. A chosen one that does not work is not replaced silently. */
export async function search(around: Surroundings): Promise<Search> {
  const rejected: Rejected[] = [];
  for (const candidate of candidates(around)) {
    if (!path.isAbsolute(candidate.command)) {
      rejected.push({ ...candidate, reason: candidate.command });
      continue;
    }
    const isChosen = around.chosen !== "";
    const result = await probed(candidate, isChosen ? around.chosenArguments : [], isChosen, around.storage);
    if ("version" in result) {
      return { found: result, rejected };
    }
    rejected.push(result);
  }
  return { rejected };
}

/** The places that hold a file, the most specific first; none of them has been executed. */
export function candidates(around: Surroundings): Candidate[] {
  if (around.chosen !== "") {
    return [chosenServer(around)];
  }
  const found: Candidate[] = [];
  const add = (folder: string, origin: string): void => {
    const command = path.join(folder, executable(SERVER));
    if (isProgram(command) && !found.some((known) => known.command === command)) {
      found.push({ command, origin });
    }
  };
  // The folders of a clone are data until their owner says otherwise: what they hold is not executed.
  if (around.trusted) {
    for (const folder of around.folders) {
      for (const name of [".venv", "venv"]) {
        add(path.join(folder, name, process.platform === "win32" ? "Scripts" : "bin"), `the workspace's ${name}`);
      }
    }
    if (around.interpreter !== undefined && path.isAbsolute(around.interpreter)) {
      add(path.dirname(around.interpreter), "the environment of the Python extension");
    }
  }
  for (const folder of safePath(around)) {
    add(folder, "PATH");
  }
  const { XDG_BIN_HOME: xdg, UV_TOOL_BIN_DIR: uv, PIPX_BIN_DIR: pipx } = around.environment;
  for (const folder of [uv, pipx, xdg, path.join(around.home, ".local", "bin")]) {
    if (folder !== undefined && isOutside(folder, around)) {
      add(folder, folder);
    }
  }
  add(privateScripts(around.storage), "installed by this extension");
  return found;
}

/** A program of this name on PATH, without what a folder that is not trusted holds. */
export function onPath(name: string, around: Surroundings): string | undefined {
  return safePath(around)
    .map((folder) => path.join(folder, executable(name)))
    .find(isProgram);
}

/** Another command of the installation that a server belongs to: beside `boruna-lsp`, or on PATH for a server of another name. */
export function beside(server: string, name: "boruna-ls" | "boruna-mcp", around: Surroundings): string | undefined {
  const known = /^boruna-lsp?(\.exe)?$/.exec(path.basename(server));
  const sibling = path.join(path.dirname(server), `${name}${known?.[1] ?? ""}`);
  return known !== null && isProgram(sibling) ? sibling : onPath(name, around);
}

/** Where the private installation has its commands. */
export function privateScripts(storage: string): string {
  return path.join(storage, "server", process.platform === "win32" ? "Scripts" : "bin");
}

function chosenServer(around: Surroundings): Candidate {
  const { chosen, folders, trusted } = around;
  const origin = "the setting boruna.server.path";
  if (path.isAbsolute(chosen)) {
    return { command: chosen, origin };
  }
  if (!/[\\/]/.test(chosen)) {
    return { command: onPath(chosen, around) ?? `"${chosen}" is not on PATH`, origin };
  }
  // Also a user's own relative path leads into whatever folder is open.
  if (!trusted) {
    return { command: `"${chosen}" is relative to a folder that is not trusted`, origin };
  }
  const folder = folders[0];
  return { command: folder === undefined ? `"${chosen}" is relative, and no folder is open` : path.resolve(folder, chosen), origin };
}

/** Absolute folders of PATH: a relative one would mean whatever folder is open. */
function safePath(around: Surroundings): string[] {
  const { environment } = around;
  const name = Object.keys(environment).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  const folders = (environment[name] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.filter((folder) => isOutside(folder, around));
}

function isOutside(folder: string, { trusted, folders }: Surroundings): boolean {
  if (trusted) {
    return true;
  }
  const real = resolved(folder);
  return !folders.some((root) => isBelow(real, resolved(root)));
}

function isBelow(file: string, root: string): boolean {
  const relative = path.relative(root, file);
  return relative === "" || !(relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
}

function resolved(file: string): string {
  try {
    return fs.realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

function executable(name: string): string {
  return process.platform === "win32" && path.extname(name) === "" ? `${name}.exe` : name;
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Asks a program for its version. A chosen one may be a wrapper that answers something else. */
async function probed(candidate: Candidate, given: string[], isChosen: boolean, storage: string): Promise<Found | Rejected> {
  fs.mkdirSync(storage, { recursive: true });
  return new Promise((resolve) => {
    // The working directory is ours: nothing that lies in a workspace is read on the way.
    const options = { cwd: storage, timeout: PATIENCE, killSignal: "SIGKILL", maxBuffer: MOST_OUTPUT } as const;
    const child = execFile(candidate.command, [...given, "--version"], options, (error, told, complained) => {
      const version = VERSION.exec(told)?.slice(1, 4).join(".");
      if (version !== undefined) {
        const reason = `is version ${version}; this extension needs ${MINIMUM} or newer`;
        resolve(isOlder(version, MINIMUM) ? { ...candidate, reason, old: version } : { ...candidate, version });
      } else if (error === null) {
        const reason = "does not tell a version: it is no boruna-lsp";
        resolve(isChosen ? { ...candidate, version: "" } : { ...candidate, reason });
      } else if (error.killed) {
        resolve({ ...candidate, reason: `does not answer within ${PATIENCE / 1000} seconds` });
      } else {
        const last = complained.trim().split("\n").pop()?.trim() || error.message.split("\n")[0];
        resolve({ ...candidate, reason: `does not start: ${last}` });
      }
    });
    child.stdin?.end();
  });
}

function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split(".").map(Number));
  const index = [0, 1, 2].find((part) => one?.[part] !== other?.[part]);
  return index !== undefined && (one?.[index] ?? 0) < (other?.[index] ?? 0);
}
