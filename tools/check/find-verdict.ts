import type { Check, Findings } from './check.ts'

/** Says why a check fails: its problems, that it looked at nothing, or that it missed a planted mistake. */
export function findVerdict({ planted }: Check, found: Findings, foundPlanted: Findings): string[] {
  const said = foundPlanted.problems.join('\n')
  const missed = planted.expect.filter((text) => !said.includes(text))
  return [
    ...found.problems,
    ...(found.looked > 0 || found.absent !== undefined ? [] : ['looked at nothing']),
    ...missed.map((text) => `did not find the planted mistake "${text}" in tools/check/planted/${planted.folder}`),
  ]
}
