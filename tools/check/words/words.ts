import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from '../check.ts'
import { listCommittedFiles } from '../committed-files.ts'
import { findWords } from './find-words.ts'

const texts = /\.(?:tsx?|js|md|script|ya?ml|html)$/

/** No committed text uses a refused word: names, comments, error texts, docs and test titles alike. */
export const words: Check = {
  name: 'words',
  planted: {
    folder: 'words',
    expect: [
      'src/comment.ts:7: "findObstacle"',
      'src/comment.ts:1: "Nobody"',
      'src/comment.ts:3: "let in"',
      'src/comment.ts:6: "answers"',
      'notes.md:3: "sign-in"',
    ],
  },
  look(base) {
    const files = listCommittedFiles(base).filter((file) => texts.test(file))
    const problems = files.flatMap((file) =>
      findWords(readFileSync(join(base, file), 'utf8'), file).map(
        ({ line, word, instead }) => `${file}:${line}: "${word}", write: ${instead}`,
      ),
    )
    return { looked: files.length, problems }
  },
}
