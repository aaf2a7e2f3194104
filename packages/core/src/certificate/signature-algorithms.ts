import { createDerCursor, getOnlyChild, readOid } from './der-cursor.ts'
import { DerError, type DerNode, TAG } from './der-reader.ts'

/** The display name and hash of a signature algorithm. The hash is undefined for Ed25519 and for unknown algorithms. */
export interface SignatureAlgorithm {
  readonly name: string
  readonly hash: string | undefined
}

const RSASSA_PSS = '1.2.840.113549.1.1.10'
const PSS_HASH = 0xa0

const ALGORITHMS: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.2': { name: 'RSA-MD2', hash: 'MD2' },
  '1.2.840.113549.1.1.3': { name: 'RSA-MD4', hash: 'MD4' },
  '1.2.840.113549.1.1.4': { name: 'RSA-MD5', hash: 'MD5' },
  '1.2.840.113549.1.1.5': { name: 'RSA-SHA1', hash: 'SHA1' },
  '1.3.14.3.2.29': { name: 'RSA-SHA1', hash: 'SHA1' },
  '1.3.14.3.2.3': { name: 'RSA-MD5', hash: 'MD5' },
  '1.2.840.113549.1.1.14': { name: 'RSA-SHA224', hash: 'SHA224' },
  '1.2.840.113549.1.1.11': { name: 'RSA-SHA256', hash: 'SHA256' },
  '1.2.840.113549.1.1.12': { name: 'RSA-SHA384', hash: 'SHA384' },
  '1.2.840.113549.1.1.13': { name: 'RSA-SHA512', hash: 'SHA512' },
  '1.2.840.10045.4.1': { name: 'ECDSA-SHA1', hash: 'SHA1' },
  '1.2.840.10045.4.3.1': { name: 'ECDSA-SHA224', hash: 'SHA224' },
  '1.2.840.10045.4.3.2': { name: 'ECDSA-SHA256', hash: 'SHA256' },
  '1.2.840.10045.4.3.3': { name: 'ECDSA-SHA384', hash: 'SHA384' },
  '1.2.840.10045.4.3.4': { name: 'ECDSA-SHA512', hash: 'SHA512' },
  '1.2.840.10040.4.3': { name: 'DSA-SHA1', hash: 'SHA1' },
  '1.3.101.112': { name: 'Ed25519', hash: undefined },
}

const PSS_HASHES: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.5': 'MD5',
  '1.3.14.3.2.26': 'SHA1',
  '2.16.840.1.101.3.4.2.1': 'SHA256',
  '2.16.840.1.101.3.4.2.2': 'SHA384',
  '2.16.840.1.101.3.4.2.3': 'SHA512',
}

/** Reads the signature algorithm of a certificate. The name of an unknown one is its object identifier. */
export function readSignatureAlgorithm(node: DerNode): SignatureAlgorithm {
  const id = readOid(createDerCursor(node).take(TAG.oid))
  if (id === RSASSA_PSS) {
    const hash = readPssHash(node.children[1])
    return { name: `RSA-PSS-${hash}`, hash }
  }
  return (Object.hasOwn(ALGORITHMS, id) ? ALGORITHMS[id] : undefined) ?? { name: id, hash: undefined }
}

/** RFC 4055 section 3.1: the default hash is SHA-1. */
function readPssHash(parameters: DerNode | undefined): string {
  const wrapper = parameters?.children.find((child) => child.tag === PSS_HASH)
  if (!wrapper) return 'SHA1'
  const id = readOid(createDerCursor(getOnlyChild(wrapper, TAG.sequence)).take(TAG.oid))
  const hash = Object.hasOwn(PSS_HASHES, id) ? PSS_HASHES[id] : undefined
  if (!hash) throw new DerError('the hash of the signature is unknown')
  return hash
}
