import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from '../paths.ts'
import type { Check } from './check.ts'

const vague = /(?:^|[/-])(?:utils?|helpers?|common|misc|manager)(?=[/.-])/

/** Every index.ts says in its first line what its folder is, and no file hides behind a word that says nothing. */
export const folderSentences: Check = {
  name: 'names, sentences',
  planted: { folder: 'folder-sentences', expect: ['src/index.ts: ', 'src/utils.ts: '] },
  look(base) {
    const files = listFiles(['packages/*/src/**/*.ts', 'packages/*/test/**/*.ts', 'e2e/**/*.ts', 'tools/**/*.ts'], base)
    const silent = files
      .filter((file) => file.endsWith('/index.ts') && !readFileSync(join(base, file), 'utf8').startsWith('/**'))
      .map((file) => `${file}: does not begin with a sentence on what the folder is`)
    const nameless = files.filter((file) => vague.test(file)).map((file) => `${file}: a name that says nothing`)
    return { looked: files.length, problems: [...silent, ...nameless] }
  },
}
