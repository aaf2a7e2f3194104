/** The few things of Node that are used where they exist; Deno and Bun have them too, browsers do not. */
interface FileSystem {
  readFile(path: string): Promise<Uint8Array>
}
interface OperatingSystem {
  homedir(): string
}
interface Process {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly platform?: string
  getBuiltinModule?(id: string): unknown
}

const runtime = (globalThis as { process?: Process }).process

/** The environment of this process; empty in a browser. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return runtime?.env ?? {}
}

/** The system that this runs on, as Node names it; undefined in a browser. */
export const platform: string | undefined = runtime?.platform

/** Files, where there are any. No import: bundlers for browsers have nothing to trip over. */
export function findFileSystem(): FileSystem | undefined {
  return findModule<FileSystem>('node:fs/promises')
}

/** The user's own folder, where there is one. */
export function findHome(): string | undefined {
  return findModule<OperatingSystem>('node:os')?.homedir()
}

function findModule<Module>(id: string): Module | undefined {
  return runtime?.getBuiltinModule?.(id) as Module | undefined
}
