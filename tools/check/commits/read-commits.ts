import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'

export type Commit = { hash: string; subject: string; body: string }

/** Why there is no history, or the output of `git log` for the commits after `first`. */
export type History = { absent: string } | { log: string }

/**
 * Reads the commits after `first` in the repository whose top folder is `top`. A shallow clone that does not reach back to
 * `first` holds only later commits, so all of them are read.
 */
export function loadHistory(top: string, first: string): History {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: top, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const found = git('rev-parse', '--show-toplevel')
  if (found.status !== 0 || realpathSync(found.stdout.trim()) !== realpathSync(top))
    return { absent: 'no git history here' }
  const isKnown = git('merge-base', '--is-ancestor', first, 'HEAD').status === 0
  const isShallow = git('rev-parse', '--is-shallow-repository').stdout.trim() === 'true'
  if (!isKnown && !isShallow) return { absent: `the history does not hold ${first}` }
  const range = isKnown ? `${first}..HEAD` : 'HEAD'
  const log = git('log', '--no-color', '--no-decorate', '--no-notes', '--no-show-signature', '--format=medium', range)
  return log.status === 0 ? { log: log.stdout } : { absent: `git log failed: ${log.stderr.trim()}` }
}

/** Reads the output of `git log`. Merges are left out: git writes their subjects. */
export function readCommits(log: string): Commit[] {
  return log.split(/^(?=commit [0-9a-f]{7,64}\b)/m).flatMap((entry): Commit[] => {
    const [head = '', ...paragraphs] = entry.split('\n\n')
    const hash = /^commit ([0-9a-f]+)/.exec(head)?.[1]
    if (hash === undefined) return []
    const message = paragraphs.join('\n\n').replaceAll(/^ {4}/gm, '').trim()
    const [subject = '', ...rest] = message.split('\n')
    if (/^Merge: /m.test(head) || subject.startsWith('Merge ')) return []
    return [{ hash, subject, body: rest.join('\n').trim() }]
  })
}
