import type { Random } from './random.ts'

export interface MutatorOptions {
  /** Valid inputs to start from. */
  readonly corpus: readonly Buffer[]
  /** Tokens of the format, inserted at random positions. */
  readonly dictionary: readonly (string | Buffer)[]
  /** Slightly more than the parser accepts. Most inputs are far shorter. */
  readonly maxLength: number
}

type Mutation = (bytes: Buffer, random: Random, options: PreparedOptions) => Buffer

interface PreparedOptions extends MutatorOptions {
  readonly words: readonly Buffer[]
}

const MAX_MUTATIONS = 4
const MAX_RANDOM_BYTES = 64
const ODD_BYTES = [
  0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2e, 0x2f, 0x5c, 0x7e, 0x7f, 0x80, 0xbf, 0xc0, 0xe2, 0xed, 0xf4, 0xff,
]

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, random) {
    if (bytes.length === 0) return bytes
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
    return bytes
  },
  function setByte(bytes, random) {
    if (bytes.length > 0) bytes[random.below(bytes.length)] = anyByte(random)
    return bytes
  },
  function insertBytes(bytes, random) {
    const inserted = Buffer.from(Array.from({ length: 1 + random.below(4) }, () => anyByte(random)))
    return insertAt(bytes, random.below(bytes.length + 1), inserted)
  },
  function insertWord(bytes, random, { words }) {
    return insertAt(bytes, random.below(bytes.length + 1), random.pick(words))
  },
  function overwriteWithWord(bytes, random, { words }) {
    random.pick(words).copy(bytes, random.below(bytes.length + 1))
    return bytes
  },
  function deleteRange(bytes, random) {
    const [start, end] = range(bytes, random)
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
  },
  function repeatRange(bytes, random) {
    const [start, end] = range(bytes, random)
    const copies = Array<Buffer>(1 + random.below(4)).fill(bytes.subarray(start, end))
    return Buffer.concat([bytes.subarray(0, end), ...copies, bytes.subarray(end)])
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length + 1))
  },
  function splice(bytes, random, { corpus }) {
    const other = random.pick(corpus)
    const head = bytes.subarray(0, random.below(bytes.length + 1))
    return Buffer.concat([head, other.subarray(random.below(other.length + 1))])
  },
]

/** Returns a generator of inputs: mostly valid ones with a few mutations, some random bytes, and a few of the maximum length. */
export function createMutator(random: Random, options: MutatorOptions): () => Buffer {
  const prepared = { ...options, words: options.dictionary.map((word) => Buffer.from(word)) }
  return () => {
    if (random.onceIn(16)) return noise(random)
    let bytes: Buffer = Buffer.from(random.pick(options.corpus))
    for (let left = random.onceIn(64) ? 0 : 1 + random.below(MAX_MUTATIONS); left > 0; left -= 1) {
      bytes = random.pick(MUTATIONS)(bytes, random, prepared)
    }
    if (random.onceIn(2000)) bytes = grow(bytes, random, options.maxLength)
    return bytes.length > options.maxLength ? bytes.subarray(0, options.maxLength) : bytes
  }
}

function noise(random: Random): Buffer {
  return Buffer.from(Array.from({ length: random.below(MAX_RANDOM_BYTES) }, () => random.below(256)))
}

/** Repeats one short piece up to the maximum length, to find slow inputs. */
function grow(bytes: Buffer, random: Random, maxLength: number): Buffer {
  const [start, end] = range(bytes, random)
  const piece = bytes.subarray(start, Math.min(end, start + 1 + random.below(16)))
  if (piece.length === 0) return bytes
  const filling = Buffer.alloc(Math.max(0, maxLength - bytes.length), piece)
  return Buffer.concat([bytes.subarray(0, start), filling, bytes.subarray(start)])
}

function insertAt(bytes: Buffer, at: number, inserted: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)])
}

function range(bytes: Buffer, random: Random): [number, number] {
  const start = random.below(bytes.length + 1)
  return [start, start + random.below(bytes.length - start + 1)]
}

function anyByte(random: Random): number {
  return random.onceIn(2) ? random.pick(ODD_BYTES) : random.below(256)
}
