import type { Check, Findings } from './check.ts'

/** Returns why a check fails: its violations, that it looked at nothing, or planted violations that it missed. Empty if it passes. */
export function findVerdict({ planted }: Check, found: Findings, foundPlanted: Findings): string[] {
  const plantedText = foundPlanted.problems.join('\n')
  const missed = planted.expect.filter((text) => !plantedText.includes(text))
  return [
    ...found.problems,
    ...(found.looked > 0 || found.absent !== undefined ? [] : ['looked at nothing']),
    ...missed.map((text) => `did not find the planted mistake "${text}" in tools/check/planted/${planted.folder}`),
  ]
}
