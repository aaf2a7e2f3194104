const DESCRIPTIONS: { readonly [code: string]: string } = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'it is not a directory',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EIO: 'the disk has an error',
}

/** Describes an error of the operating system; undefined for other errors. */
export function describeSystemError(error: unknown, target = findTarget(error)): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || target === undefined) return undefined
  const description = DESCRIPTIONS[String(error.code)]
  return description === undefined ? undefined : `cannot use ${target}: ${description}`
}

function findTarget(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('path' in error)) return undefined
  return String('dest' in error ? error.dest : error.path)
}
