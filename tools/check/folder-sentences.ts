import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from '../paths.ts'
import type { Check } from './check.ts'

const vague = /(?:^|[/-])(?:utils?|helpers?|common|misc|manager)(?=[/.-])/

/** Every index.ts begins with a comment on its folder, and no file has a vague name such as utils. */
export const folderSentences: Check = {
  name: 'names, sentences',
  planted: { folder: 'folder-sentences', expect: ['src/index.ts: ', 'src/utils.ts: '] },
  look(base) {
    const files = listFiles(['packages/*/src/**/*.ts', 'packages/*/test/**/*.ts', 'e2e/**/*.ts', 'tools/**/*.ts'], base)
    const undescribed = files
      .filter((file) => file.endsWith('/index.ts') && !readFileSync(join(base, file), 'utf8').startsWith('/**'))
      .map((file) => `${file}: must begin with a comment that says what the folder is for`)
    const vaguelyNamed = files
      .filter((file) => vague.test(file))
      .map((file) => `${file}: rename it after its main export`)
    return { looked: files.length, problems: [...undescribed, ...vaguelyNamed] }
  },
}
