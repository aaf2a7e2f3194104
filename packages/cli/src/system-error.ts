const WORDS: { readonly [code: string]: string } = {
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

/** What the operating system refused, in words, or undefined when the error is none of its usual ones. */
export function findSystemErrorWords(error: unknown, target = findTarget(error)): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || target === undefined) return undefined
  const words = WORDS[String(error.code)]
  return words === undefined ? undefined : `cannot use ${target}: ${words}`
}

function findTarget(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('path' in error)) return undefined
  return String('dest' in error ? error.dest : error.path)
}
