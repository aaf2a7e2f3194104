import type { FuzzInput } from './fuzz-target.ts'

const MAX_ATTEMPTS = 5000

/** Returns a smaller input with the same fault, by removing ever smaller pieces for which the fault remains. */
export function shrinkInput(input: FuzzInput, hasFault: (input: FuzzInput) => boolean): FuzzInput {
  let smallest = input
  let attempts = 0
  for (let size = Math.ceil(input.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.length && attempts < MAX_ATTEMPTS; attempts += 1) {
      const candidate = without(smallest, at, at + size)
      if (hasFault(candidate)) smallest = candidate
      else at += size
    }
  }
  return smallest
}

function without(input: FuzzInput, start: number, end: number): FuzzInput {
  if (typeof input === 'string') return input.slice(0, start) + input.slice(end)
  return Buffer.concat([input.subarray(0, start), input.subarray(end)])
}
