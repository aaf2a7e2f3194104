import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../paths.ts'
import type { Check, Findings } from '../check.ts'
import { findFaults } from './find-faults.ts'
import { loadHistory, readCommits } from './read-commits.ts'

/** The last commit from before the rules. */
const first = '07c776edd980119c6f483b8080d07f9f9835068b'
/** Commits from before this check was built. */
const exempt = ['e90ba64']

/** The messages of commits: `area: what changes` in the imperative, short, one change, in plain words. */
export const commits: Check = {
  name: 'commits',
  planted: {
    folder: 'commits',
    expect: [
      '1111111 Improve things: the subject is not',
      '2222222 store: added a column: the subject does not begin with an imperative: "added"',
      '3333333 store: add a column.: the subject ends with a period',
      '4444444 store: add a column, drop a table and rename a view: the subject is a list',
      '5555555 store: give every row of every table a version that no other row of it has: the subject has 74',
      '6666666 store: add a column: "somebody"',
    ],
  },
  look(base) {
    if (base !== root) return checkLog(readFileSync(join(base, 'git-log.txt'), 'utf8'))
    const history = loadHistory(base, first)
    return 'absent' in history ? { looked: 0, problems: [], absent: history.absent } : checkLog(history.log)
  },
}

function checkLog(log: string): Findings {
  const checked = readCommits(log).filter(({ hash }) => !exempt.some((known) => hash.startsWith(known)))
  const problems = checked.flatMap((commit) =>
    findFaults(commit).map((fault) => `${commit.hash.slice(0, 7)} ${commit.subject}: ${fault}`),
  )
  return { looked: checked.length, problems }
}
