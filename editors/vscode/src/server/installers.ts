// Ways to install the server: each is a list of command lines. The package is the wheel that came with this extension, so that what is
// installed is what belongs to it, whoever owns its name in an index.

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { onPath, privateScripts, type Surroundings } from "./candidates";

const PYTHONS = ["python3", "python", "python3.13", "python3.12", "python3.11"];

export interface Installer {
  label: string;
  description: string;
  steps: string[][];
  /** A folder that a failed or cancelled installation leaves half done. */
  partial?: string;
}

/** What can install a wheel on this machine, the best first. */
export function installers(wheel: string, around: Surroundings): Installer[] {
  const found: Installer[] = [];
  const uv = onPath("uv", around);
  if (uv !== undefined) {
    found.push({
      label: "uv tool install",
      description: "for all editors, agents and terminals; uv brings Python along",
      steps: [[uv, "tool", "install", "--force", "--python", ">=3.11", wheel]],
    });
  }
  const pipx = onPath("pipx", around);
  if (pipx !== undefined) {
    found.push({
      label: "pipx install",
      description: "for all editors, agents and terminals",
      steps: [[pipx, "install", "--force", wheel]],
    });
  }
  const folder = path.dirname(privateScripts(around.storage));
  const python = path.join(privateScripts(around.storage), process.platform === "win32" ? "python.exe" : "python");
  for (const base of PYTHONS.map((name) => onPath(name, around)).filter((command) => command !== undefined)) {
    found.push({
      label: "Private environment",
      description: `for this extension only, made with ${base}`,
      // -I: neither the environment nor a working directory changes what is imported.
      steps: [
        [base, "-I", "-c", "import sys; sys.exit(None if sys.version_info >= (3, 11) else 'Python 3.11 or newer is needed')"],
        [base, "-I", "-m", "venv", "--clear", folder],
        [python, "-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", wheel],
      ],
      partial: folder,
    });
    break;
  }
  return found;
}

/** Runs an installer. Rejects with what the failed command said last. */
export async function install(
  installer: Installer,
  storage: string,
  tell: (line: string) => void,
  cancelled: (stop: () => void) => void,
): Promise<void> {
  fs.mkdirSync(storage, { recursive: true });
  try {
    for (const step of installer.steps) {
      await run(step, storage, tell, cancelled);
    }
  } catch (error) {
    if (installer.partial !== undefined) {
      fs.rmSync(installer.partial, { recursive: true, force: true });
    }
    throw error;
  }
}

function run(step: string[], cwd: string, tell: (line: string) => void, cancelled: (stop: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const [command = "", ...args] = step;
    let last = "";
    // Not the workspace: pip, uv and Python would read what lies there.
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        for (const line of text.split(/[\r\n]+/).filter((one) => one.trim() !== "")) {
          last = line.trim();
          tell(last);
        }
      });
    }
    cancelled(() => child.kill());
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) {
        resolve();
      } else {
        reject(new Error(signal !== null ? "stopped" : last || `${path.basename(command)} ended with status ${code}`));
      }
    });
  });
}
