import { findFileSystem, findUserId } from '../credentials/runtime.ts'

const GROUP_AND_OTHERS = 0o077
const WRITABLE_BY_OTHERS = 0o022
const ROOT = 0

/** What is unsafe about a file with a secret. */
export interface FileSafety {
  /** Why another user may have chosen the content; undefined when none can. */
  readonly danger: string | undefined
  /** What the owner should change. */
  readonly warnings: readonly string[]
}

/** Inspects the owner and the mode of a file. Finds nothing unsafe where files have neither, or when there is no such file. */
export async function inspectSecretFile(path: string): Promise<FileSafety> {
  const stats = await findFileSystem()
    ?.stat(path)
    .catch(() => undefined)
  const own = findUserId()
  if (!stats || own === undefined) return { danger: undefined, warnings: [] }
  const danger =
    stats.uid !== own && stats.uid !== ROOT
      ? `${path} belongs to another user`
      : (stats.mode & WRITABLE_BY_OTHERS) !== 0
        ? `${path} can be changed by others`
        : undefined
  const isShared = (stats.mode & GROUP_AND_OTHERS) !== 0
  return { danger, warnings: isShared ? [`others can read ${path}; run: chmod 600 ${path}`] : [] }
}
