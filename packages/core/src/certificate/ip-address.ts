/** Parses an IPv4 or IPv6 address without brackets or zone to its 4 or 16 octets. Undefined for any other text. */
export function findIpOctets(text: string): Buffer | undefined {
  return findIpv4Octets(text) ?? findIpv6Octets(text)
}

function findIpv4Octets(text: string): Buffer | undefined {
  const parts = text.split('.')
  const octets = parts.map(Number)
  const isValid = parts.length === 4 && octets.every((octet, index) => octet <= 255 && String(octet) === parts[index])
  return isValid ? Buffer.from(octets) : undefined
}

function findIpv6Octets(text: string): Buffer | undefined {
  const [head = '', tail, ...more] = text.split('::')
  if (more.length > 0 || !text.includes(':')) return undefined
  const left = readGroups(head, tail === undefined)
  const right = readGroups(tail ?? '', true)
  if (!left || !right) return undefined
  const missing = 16 - left.length - right.length
  const isComplete = tail === undefined ? missing === 0 : missing >= 2
  return isComplete ? Buffer.concat([left, Buffer.alloc(missing), right]) : undefined
}

/** Parses colon-separated groups. With `mayEndDotted`, the last one may be a dotted IPv4 address. */
function readGroups(text: string, mayEndDotted: boolean): Buffer | undefined {
  if (text === '') return Buffer.alloc(0)
  const groups = text.split(':')
  const octets: Buffer[] = []
  for (const [index, group] of groups.entries()) {
    const isLast = index === groups.length - 1
    const dotted = isLast && mayEndDotted ? findIpv4Octets(group) : undefined
    if (!dotted && !isHexGroup(group)) return undefined
    octets.push(dotted ?? Buffer.from(group.padStart(4, '0'), 'hex'))
  }
  return Buffer.concat(octets)
}

function isHexGroup(group: string): boolean {
  return /^[0-9a-fA-F]{1,4}$/.test(group)
}
