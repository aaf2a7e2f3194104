import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findOnlyPemBlock, findPemBlocks, formatPem } from './pem.ts'

const first = Buffer.from('first'.repeat(20))
const second = Buffer.from('second')

describe('findPemBlocks', () => {
  it('finds the blocks with a label between comments and other blocks', () => {
    const text = `# ours\n${formatPem('A', first)}${formatPem('B', second)}note\n${formatPem('A', second)}`
    assert.deepEqual(findPemBlocks(text, 'A'), [first, second])
    assert.deepEqual(findPemBlocks(text, 'C'), [])
  })

  it('returns undefined when a block is malformed', () => {
    const good = formatPem('A', first)
    assert.equal(findPemBlocks(`${good}-----BEGIN A-----\n`, 'A'), undefined)
    assert.equal(findPemBlocks(good + good.replace('Z', '*'), 'A'), undefined)
  })
})

describe('findOnlyPemBlock', () => {
  it('reads the output of formatPem, and only with the same label', () => {
    assert.deepEqual(findOnlyPemBlock(formatPem('A', first), 'A'), first)
    assert.equal(findOnlyPemBlock(formatPem('A', first), 'B'), undefined)
  })
})
