import type { FuzzInput } from './fuzz-target.ts'

const MAX_ATTEMPTS = 5000

/** A smaller input with the same fault: pieces are left out, ever smaller ones, as long as the fault stays. */
export function shrinkInput(input: FuzzInput, isStillBad: (input: FuzzInput) => boolean): FuzzInput {
  let smallest = input
  let attempts = 0
  for (let size = Math.ceil(input.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.length && attempts < MAX_ATTEMPTS; attempts += 1) {
      const candidate = without(smallest, at, at + size)
      if (isStillBad(candidate)) smallest = candidate
      else at += size
    }
  }
  return smallest
}

function without(input: FuzzInput, start: number, end: number): FuzzInput {
  if (typeof input === 'string') return input.slice(0, start) + input.slice(end)
  return Buffer.concat([input.subarray(0, start), input.subarray(end)])
}
