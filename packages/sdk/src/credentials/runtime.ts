/** The Node APIs that are used when present. Deno and Bun have them too; browsers do not. */
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

/** `process.platform`; undefined in a browser. */
export const platform: string | undefined = runtime?.platform

/** Undefined in a browser. Not imported statically, so that bundlers for browsers can resolve this module. */
export function findFileSystem(): FileSystem | undefined {
  return findModule<FileSystem>('node:fs/promises')
}

/** The home directory; undefined in a browser. */
export function findHome(): string | undefined {
  return findModule<OperatingSystem>('node:os')?.homedir()
}

function findModule<Module>(id: string): Module | undefined {
  return runtime?.getBuiltinModule?.(id) as Module | undefined
}
