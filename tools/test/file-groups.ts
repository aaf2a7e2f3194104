import { mkdirSync, writeFileSync } from 'node:fs'
import { join, matchesGlob, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../paths.ts'

/** Files whose tests are shorter than loading what they import. They change nothing outside of their own controllers. */
const SHARING = [
  'packages/{console,contract,core}/src/**',
  'packages/{cli,sdk}/test/**',
  'packages/server/test/{administration,console,events,hosted,http,keyset,limits,oidc,openapi,operations,outbound,platform,store,token}/**',
]
const MAX_FILES = 20
const STARTING_PROGRAMS = 'e2e/**'

/** Test files that run in one process, one after another. */
export interface FileGroup {
  /** The file to run: the test file itself, or one that imports several. */
  readonly entry: string
  readonly files: readonly string[]
}

/**
 * Puts the files that may share a process into groups, as many as `concurrency` needs at least. Writes the entries of the groups into `folder`.
 * The files that start programs come first: they last longest, and none of them is then left to run alone at the end.
 */
export function groupFiles(
  files: readonly string[],
  { folder, concurrency }: { readonly folder: string; readonly concurrency: number },
): FileGroup[] {
  const sharing = files.filter(isSharing)
  const count = Math.max(Math.ceil(sharing.length / MAX_FILES), Math.min(concurrency, sharing.length))
  // Neighbours have much in common, also their duration, so they are dealt out.
  const dealt = Array.from({ length: count }, (_, group) => sharing.filter((_, index) => index % count === group))
  mkdirSync(folder, { recursive: true })
  const groups = dealt.map((members, index) => ({
    entry:
      members.length === 1 ? (members[0] as string) : writeEntry(join(folder, `group-${index + 1}.test.mjs`), members),
    files: members,
  }))
  const alone = files.filter((file) => !isSharing(file)).map((file) => ({ entry: file, files: [file] }))
  return [...alone.toSorted((one, other) => Number(startsPrograms(other)) - Number(startsPrograms(one))), ...groups]
}

function isSharing(file: string): boolean {
  return SHARING.some((pattern) => matchesGlob(relative(root, file), pattern))
}

function startsPrograms({ entry }: FileGroup): boolean {
  return matchesGlob(relative(root, entry), STARTING_PROGRAMS)
}

function writeEntry(entry: string, members: readonly string[]): string {
  writeFileSync(entry, members.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)})\n`).join(''))
  return entry
}
