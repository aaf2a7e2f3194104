/** The Node APIs that are used when present. Deno and Bun have them too; browsers do not. */
interface FileSystem {
  readFile(path: string): Promise<Uint8Array>
  stat(path: string): Promise<{ readonly uid: number; readonly mode: number; isFile(): boolean }>
}
interface ChildProcesses {
  execFile(
    program: string,
    args: readonly string[],
    options: object,
    done: (error: Error | null, stdout: string) => void,
  ): unknown
}
interface OperatingSystem {
  homedir(): string
}
interface Process {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly platform?: string
  getuid?(): number
  getBuiltinModule?(id: string): unknown
}

const runtime = (globalThis as { process?: Process }).process

/** The environment of this process; empty in a browser. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return runtime?.env ?? {}
}

/** `process.platform`; undefined in a browser. */
export const platform: string | undefined = runtime?.platform

/** Undefined in a browser. Not imported statically, so that bundlers for browsers can resolve this module. */
export function findFileSystem(): FileSystem | undefined {
  return findModule<FileSystem>('node:fs/promises')
}

/** The id of the user of this process; undefined in a browser and on Windows. */
export function findUserId(): number | undefined {
  return runtime?.getuid?.()
}

const MAX_OUTPUT = 1_048_576

/** Runs a program, without a shell, and returns its stdout. Throws when it fails, and in a browser. */
export function runProgram(
  program: string,
  args: readonly string[],
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<string> {
  const programs = findModule<ChildProcesses>('node:child_process')
  if (!programs) throw new TypeError('this runtime cannot run programs')
  return new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, maxBuffer: MAX_OUTPUT, shell: false, windowsHide: true }
    programs.execFile(program, args, options, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
}

/** The home directory; undefined in a browser. */
export function findHome(): string | undefined {
  return findModule<OperatingSystem>('node:os')?.homedir()
}

function findModule<Module>(id: string): Module | undefined {
  return runtime?.getBuiltinModule?.(id) as Module | undefined
}
